import { PlatformError } from '@parley/core';

/** What one message may weigh, in bytes of its JSON: NATS carries 1 MiB, headers and subjects included. */
export const MAX_MESSAGE_BYTES = 2 ** 20 - 16_384;

/** No UTF-16 unit takes more bytes than this in UTF-8: a text of a third of the limit need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/**
 * Lets a message through that every wire can carry. Whoever sends asks this first: a message that is too large would
 * cost the connection, and with it the messages of others.
 * @throws PlatformError `too_large`, naming the limit.
 */
export const fitting = (subject: string, json: string): string => {
  if (json.length * MOST_BYTES_PER_UNIT <= MAX_MESSAGE_BYTES) return json;
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_MESSAGE_BYTES) return json;
  throw new PlatformError('too_large', `a message to ${subject} has ${bytes} bytes, and may have ${MAX_MESSAGE_BYTES}`);
};
