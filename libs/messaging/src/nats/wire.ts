import { PlatformError } from '@parley/core';
import { MAX_MESSAGE_BYTES } from '../max-message.js';

/** Milliseconds that the caller is going to wait: no clock of one host is compared with that of another. */
export const TIMEOUT_HEADER = 'Parley-Timeout-Ms';
/** On an answer that is an error in its wire form. */
export const ERROR_HEADER = 'Parley-Error';
/** Room for subject, reply subject and headers. */
const HEADROOM_BYTES = 4_096;

/**
 * A message as NATS carries it.
 * @throws PlatformError `too_large`: sent all the same, it would cost the connection.
 */
export const encoded = (subject: string, json: string, maxPayload: number): Uint8Array => {
  const bytes = Buffer.from(json);
  const room = Math.min(MAX_MESSAGE_BYTES, maxPayload - HEADROOM_BYTES);
  if (bytes.length <= room) return bytes;
  throw new PlatformError('too_large', `a message to ${subject} has ${bytes.length} bytes, and may have ${room}`);
};
