import { z } from 'zod';
import { BlobId } from '../../ids.js';

/** Where the words of a part stand when they are too large for a row or a message (DESIGN §6). */
export const BlobRef = z.object({
  id: BlobId,
  /** Bytes of the words in UTF-8. */
  size: z.number().int().nonnegative(),
});
export type BlobRef = z.infer<typeof BlobRef>;
