import { type Readable } from 'node:stream';
import { OutboundError } from '@parley/outbound';

/** How long the connection of a finished answer may take to become free again. */
const DRAIN_MS = 1_000;

/** Takes the bytes of an answer. What it throws ends the reading. */
export interface BytesTaker {
  push: (chunk: Buffer) => void;
  /** All bytes were there. */
  end: () => void;
  /** True when what follows is of no interest. */
  readonly done: boolean;
}

/**
 * Feeds a body to its taker until it ends or the taker is done. A body whose taker is done is left to end by itself, so
 * that its connection can serve the next call.
 * @throws OutboundError when the body breaks off, and what the taker throws.
 */
export const readEvents = (body: Readable, taker: BytesTaker): Promise<void> =>
  new Promise((resolve, reject) => {
    const guarded = (act: () => void): void => {
      try {
        act();
        if (taker.done) resolve();
      } catch (error) {
        body.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    body.on('data', (chunk: Buffer) => {
      if (taker.done) return;
      guarded(() => taker.push(chunk));
      if (taker.done) drain(body);
    });
    body.once('end', () => {
      if (!taker.done) guarded(() => taker.end());
      resolve();
    });
    body.on('error', (error) => reject(OutboundError.from(error)));
  });

const drain = (body: Readable): void => {
  const limit = setTimeout(() => body.destroy(), DRAIN_MS).unref();
  body.once('close', () => clearTimeout(limit));
};
