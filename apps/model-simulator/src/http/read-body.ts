import { isUtf8 } from 'node:buffer';
import { type IncomingMessage } from 'node:http';
import { ApiError, invalidRequest } from './api-error.js';

/**
 * The text of a request's body. Rejects with ApiError 413 as soon as it is longer than `limitBytes`, with 400 if it is
 * no UTF-8. Never settles if the client goes before the end.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) reject(tooLarge(limitBytes));
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) reject(tooLarge(limitBytes));
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const [first = Buffer.alloc(0)] = chunks;
      const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
      if (isUtf8(bytes)) resolve(bytes.toString());
      else reject(invalidRequest(null, 'The body of the request is not UTF-8.'));
    });
  });
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError(413, {
    message: `The body of the request is larger than ${limitBytes} bytes.`,
    code: 'request_too_large',
  });
}
