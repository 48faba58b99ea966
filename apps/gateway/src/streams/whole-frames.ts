import { type Frame, hasBlob } from '@parley/core';
import { type PartBlobs } from '@parley/persistence';
import { type StreamAddress } from './session-stream.js';

const isLarge = (frame: Frame): boolean => frame.kind === 'event' && hasBlob(frame.event.body);

/**
 * The frames with all of their words. One whose words stand in blobs comes alone, fetched when it is asked for, so that a
 * reader holds one of them at a time. `isNew`: what the reader has had is not fetched.
 */
export async function* wholeFrames(
  { blobs, address, isNew }: { blobs: PartBlobs; address: StreamAddress; isNew: (frame: Frame) => boolean },
  frames: readonly Frame[],
): AsyncGenerator<readonly Frame[]> {
  let from = 0;
  for (const [index, frame] of frames.entries()) {
    if (frame.kind === 'delta' || !isLarge(frame)) continue;
    if (from < index) yield frames.slice(from, index);
    from = index + 1;
    if (isNew(frame)) yield [{ ...frame, event: await blobs.fetchEvent(address, frame.event) }];
  }
  if (from < frames.length) yield from === 0 ? frames : frames.slice(from);
}
