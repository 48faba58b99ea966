import { apply, CallId, newId, type EventBody, type Usage } from '@parley/core';
import { type ClaimedRun, type ExecutorId, type RunLog } from '@parley/persistence';

const USAGE: Usage = { input: 60, cachedInput: 0, output: 20, reasoning: 0, estimated: false };
const WORDS = 'I would like to know what the weather will be like tomorrow before I tell you more about it.';

/**
 * Writes one durable step after the other for a run: a model's reply with a call, and the call's result, in one append,
 * as a tool round does that is committed before the next model call.
 */
export class StepWriter {
  #head: ClaimedRun['head'];
  #round = 0;

  constructor(
    private readonly log: RunLog,
    private readonly claimed: ClaimedRun,
    private readonly executor: ExecutorId,
  ) {
    this.#head = claimed.head;
  }

  async write(): Promise<void> {
    const { tenant, session, run, epoch } = this.claimed;
    const bodies = stepOf(++this.#round);
    const head = bodies.reduce((before, body) => apply(before, { seq: before.seq + 1, run, body }), this.#head);
    const addition = { seq: this.#head.seq, events: bodies.map((body) => ({ body })), head, taken: [], left: [] };
    const { outcome } = await this.log.append({ tenant, session, run, epoch, executor: this.executor }, addition);
    if (outcome !== 'written') throw new Error(`a step was answered '${outcome}'`);
    this.#head = head;
  }
}

const stepOf = (round: number): EventBody[] => {
  const call = newId(CallId);
  const part = { type: 'call', id: call, name: 'weather', arguments: '{"day":"tomorrow"}', origin: 'model' } as const;
  const text = { type: 'text', text: WORDS, origin: 'model' } as const;
  return [
    { kind: 'model_replied', round, parts: [text, part], usage: USAGE, model: 'bench/model', finish: 'calls' },
    { kind: 'call_settled', call, outcome: 'result', parts: [{ type: 'text', text: 'Sunny, 24 °C.', origin: 'tool' }] },
  ];
};
