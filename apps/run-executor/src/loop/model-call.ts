import { CallId, deriveId, type DeltaFrame, type Live } from '@parley/core';
import { type ModelOutcome } from '@parley/effects';
import { type CallModel } from '@parley/engine';
import { crashPoint } from '@parley/host';
import { type ClaimedRun } from '@parley/persistence';
import { LiveText } from './live-text.js';
import { type Model } from './model.js';
import { type RunFrames } from './run-frames.js';

/** One call of the model for a run: what it says is shown while it says it, and it can be stopped. */
export class ModelCall {
  readonly #abort = new AbortController();
  readonly #live: LiveText;
  #isOpen = true;

  /** @param seq the log's last event, which nothing follows while the call is open. */
  constructor(
    private readonly model: Model,
    private readonly frames: RunFrames,
    private readonly claimed: ClaimedRun,
    seq: number,
  ) {
    this.#live = new LiveText(claimed.run, seq);
  }

  async make({ round, attempt: _attempt, kind: _kind, ...request }: CallModel): Promise<ModelOutcome> {
    crashPoint('model.before');
    const outcome = await this.model.callModel({
      ...request,
      callId: (index) => this.#callId(round, index),
      signal: this.#abort.signal,
      onDelta: (delta) => {
        this.frames.publish(this.#live.show(delta));
        crashPoint('model.delta');
      },
    });
    this.#isOpen = false;
    if (outcome.ok && outcome.reply.output === undefined) this.frames.publish(this.#live.showRest(outcome.reply.parts));
    crashPoint('model.after');
    return outcome;
  }

  /** Ends the call: it then answers at once, and what it has shown is void unless the reply was whole. */
  stop(): void {
    this.#abort.abort();
  }

  get isStopped(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Whether the model is still at it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What readers were shown of the reply. */
  get shown(): readonly DeltaFrame[] {
    return this.#live.frames;
  }

  get live(): Live | undefined {
    return this.#live.live;
  }

  /** The same call of a repeated round has the same id, so that a tool can tell that it is the same (DESIGN §7.7). */
  #callId(round: number, index: number): CallId {
    const { tenant, run } = this.claimed;
    return deriveId(CallId, { tenant, kind: 'call', key: `${run}\0${round}\0${index}` });
  }
}
