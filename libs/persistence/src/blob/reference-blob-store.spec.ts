import { newId, SessionId } from '@parley/core';
import { describeBlobStore } from './blob-store.contract.js';
import { ReferenceBlobStore } from './reference-blob-store.js';

describeBlobStore('ReferenceBlobStore', async () => ({
  blobs: new ReferenceBlobStore(),
  makeSession: async () => newId(SessionId),
  close: async () => undefined,
}));
