import { type Readable } from 'node:stream';
import { OutboundError } from '@parley/outbound';

/**
 * A body whole. Where it is larger than `maxBytes` it is read no further, its connection is closed, and the answer is
 * larger than `maxBytes` too.
 * @throws OutboundError when the body breaks off.
 */
export const readBytes = (body: Readable, maxBytes: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= maxBytes) return;
      resolve(Buffer.concat(chunks));
      body.destroy();
    });
    body.once('end', () => resolve(Buffer.concat(chunks)));
    body.on('error', (error) => reject(OutboundError.from(error)));
  });
