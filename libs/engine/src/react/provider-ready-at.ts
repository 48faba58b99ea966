/** How much later than it could a run may look again, as a share of the time that its provider is left alone. */
const SPREAD = 0.4;

/**
 * When a run looks again whether its provider takes calls: not before the time for which that is left alone is over, and
 * spread over two fifths of it, so that all the runs that rest on one provider do not come back to it together.
 * @param jitter 0 to 1: where in that spread.
 */
export const providerReadyAt = (now: number, pauseMs: number, jitter: number): number =>
  now + pauseMs * (1 + SPREAD * jitter);
