import {
  durableFrameId,
  FRAMES_PER_EVENT,
  truncated,
  type DeltaFrame,
  type Live,
  type ReplyPart,
  type RunId,
} from '@parley/core';
import { type ModelDelta } from '@parley/effects';

/** Ids that are kept for the frames that join what could no longer be shown piece by piece. */
const RESERVED = 1_024;
/** So many pieces are shown each by itself; behind them pieces are joined, to twice the length after each further 1,024. */
const FINE_FRAMES = 4_096;
const FRAMES_A_GRAIN = 1_024;
const FIRST_GRAIN = 32;
/** UTF-16 units of one frame: a provider may say all at once, and a frame has to fit into a message. */
const LONGEST = 65_536;

/**
 * The text of the reply in the making, as it is shown live: one frame for each delta, numbered after the last event
 * that is known to be committed (DESIGN §6). The longer the reply, the longer its pieces, so that what its event keeps of them fits
 * into a message whatever the reply; of more pieces than there are ids between two events the rest is shown when it is whole.
 */
export class LiveText {
  readonly #frames: DeltaFrame[] = [];
  /** What was said and is not shown yet: of one part. */
  #waiting: ModelDelta | undefined;

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

  /** The frames that are shown now that this was said: none while it waits for more to be joined with. */
  show(delta: ModelDelta): DeltaFrame[] {
    const isMore = this.#waiting?.part === delta.part;
    const before = isMore ? [] : this.#release();
    this.#waiting = isMore && this.#waiting ? { ...delta, text: this.#waiting.text + delta.text } : delta;
    return this.#waiting.text.length >= this.#grain ? [...before, ...this.#release()] : before;
  }

  /** The frames that show what is left of a whole reply, so that the pieces of a part always make its text. */
  showRest(parts: readonly ReplyPart[]): DeltaFrame[] {
    const shown = parts.map(() => 0);
    for (const { part, text } of this.#frames) shown[part] = (shown[part] ?? 0) + text.length;
    return parts.flatMap((content, part) => {
      if ((content.type !== 'text' && content.type !== 'reasoning') || content.text === null) return [];
      return this.#add({ part, type: content.type, text: content.text.slice(shown[part]) }, this.limit);
    });
  }

  /** What the reply's event keeps, so that replay makes the same frames; undefined when nothing was shown. */
  get live(): Live | undefined {
    if (this.#frames.length === 0) return undefined;
    return { after: this.after, cuts: this.#frames.map(({ part, text }, index) => [index + 1, part, text.length]) };
  }

  /** What a piece has to be long to be shown at once. */
  get #grain(): number {
    const coarse = this.#frames.length - FINE_FRAMES;
    return coarse < 0 ? 1 : FIRST_GRAIN * 2 ** Math.floor(coarse / FRAMES_A_GRAIN);
  }

  #release(): DeltaFrame[] {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting ? this.#add(waiting, this.limit - RESERVED) : [];
  }

  /** Frames of the text, as far as there are ids. */
  #add({ part, type, text }: ModelDelta, limit: number): DeltaFrame[] {
    const added: DeltaFrame[] = [];
    for (let at = 0; at < text.length && this.#frames.length < limit;) {
      const piece = text.length <= LONGEST ? text : truncated(text.slice(at, at + LONGEST + 1), LONGEST);
      const id = durableFrameId(this.after) + this.#frames.length + 1;
      const frame: DeltaFrame = { kind: 'delta', id, run: this.run, part, type, text: piece };
      this.#frames.push(frame);
      added.push(frame);
      at += piece.length;
    }
    return added;
  }
}
