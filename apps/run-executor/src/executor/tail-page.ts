import { type ResponseOf, type tailRun } from '@parley/contracts';
import { type DeltaFrame } from '@parley/core';

/** What a page of a tail may weigh, in bytes of JSON. */
const MAX_PAGE = 524_288;

/** The frames of a message in the making behind a frame, as many as one message between services may hold. */
export const tailPage = (tail: readonly DeltaFrame[], after = 0): ResponseOf<typeof tailRun> => {
  const frames: DeltaFrame[] = [];
  let size = 0;
  for (const frame of tail) {
    if (frame.id <= after) continue;
    size += Buffer.byteLength(JSON.stringify(frame));
    if (size > MAX_PAGE && frames.length > 0) return { frames, more: true };
    frames.push(frame);
  }
  return { frames };
};
