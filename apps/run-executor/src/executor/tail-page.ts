import { type ResponseOf, type tailRun } from '@parley/contracts';
import { type DeltaFrame, PageRoom } from '@parley/core';

/** The frames of a message in the making behind a frame, as many as one message between services may hold. */
export const tailPage = (tail: readonly DeltaFrame[], after = 0): ResponseOf<typeof tailRun> => {
  const frames: DeltaFrame[] = [];
  const room = new PageRoom();
  for (const frame of tail) {
    if (frame.id <= after) continue;
    if (!room.takes(frame)) return { frames, more: true };
    frames.push(frame);
  }
  return { frames };
};
