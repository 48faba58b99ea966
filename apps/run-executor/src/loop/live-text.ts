import { durableFrameId, FRAMES_PER_EVENT, type DeltaFrame, type Live, type ReplyPart, type RunId } from '@parley/core';
import { type ModelDelta } from '@parley/effects';

/** Ids that are kept for the frames that join what could no longer be shown piece by piece. */
const RESERVED = 1_024;

/**
 * The text of the reply in the making, as it is shown live: one frame for each delta, numbered after the last event
 * that is known to be committed (DESIGN §6). A reply of more pieces than there are ids between two events is shown
 * joined from there on, when it is whole.
 */
export class LiveText {
  readonly #frames: DeltaFrame[] = [];

  /**
   * @param after sequence number of the last committed event.
   * @param limit how many ids there are after it.
   */
  constructor(
    private readonly run: RunId,
    private readonly after: number,
    private readonly limit = FRAMES_PER_EVENT - 1,
  ) {}

  /** What was shown so far, oldest first. */
  get frames(): readonly DeltaFrame[] {
    return this.#frames;
  }

  /** The frame that shows this delta now; undefined: it is shown later, joined. */
  show(delta: ModelDelta): DeltaFrame | undefined {
    return this.#frames.length < this.limit - RESERVED ? this.#add(delta) : undefined;
  }

  /** The frames that show what is left of a whole reply, so that the pieces of a part always make its text. */
  showRest(parts: readonly ReplyPart[]): DeltaFrame[] {
    const shown = parts.map(() => 0);
    for (const { part, text } of this.#frames) shown[part] = (shown[part] ?? 0) + text.length;
    const rest: DeltaFrame[] = [];
    parts.forEach((content, part) => {
      if (content.type === 'call' || content.text === null || this.#frames.length >= this.limit) return;
      const text = content.text.slice(shown[part]);
      if (text !== '') rest.push(this.#add({ part, type: content.type, text }));
    });
    return rest;
  }

  /** What the reply's event keeps, so that replay makes the same frames; undefined when nothing was shown. */
  get live(): Live | undefined {
    if (this.#frames.length === 0) return undefined;
    return { after: this.after, cuts: this.#frames.map(({ part, text }, index) => [index + 1, part, text.length]) };
  }

  #add({ part, type, text }: ModelDelta): DeltaFrame {
    const id = durableFrameId(this.after) + this.#frames.length + 1;
    const frame: DeltaFrame = { kind: 'delta', id, run: this.run, part, type, text };
    this.#frames.push(frame);
    return frame;
  }
}
