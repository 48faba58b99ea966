import { jest } from '@jest/globals';
import { getRunStates, readLog, type RequestOf, type ResponseOf, type Rpc, tailRun } from '@parley/contracts';
import {
  type DeltaFrame,
  durableFrameId,
  type Event,
  type EventBody,
  FactId,
  type Frame,
  type FrameBatch,
  framesOf,
  type Live,
  newId,
  PlatformError,
  RunId,
  type RunState,
  SessionId,
  TenantId,
} from '@parley/core';
import { Bus, Frames } from '@parley/messaging';
import { PartBlobs, ReferenceBlobStore } from '@parley/persistence';
import fc from 'fast-check';
import { RunWatch } from './run-watch.js';
import { type StreamEnd } from './session-stream.js';
import { SessionStreams } from './session-streams.js';
import { type Until } from './until.js';

const address = { tenant: newId(TenantId), session: newId(SessionId) };
const usage = { input: 1, cachedInput: 0, output: 1, reasoning: 0, estimated: false };

const streamsOf = (world: World): SessionStreams =>
  new SessionStreams(world, world.frames, new RunWatch(world), world.blobs);

/** What happens to a batch on its way. */
type Fate = 'arrives' | 'lost' | 'twice' | 'late';

type Holder = NonNullable<NonNullable<ResponseOf<typeof readLog>['active']>['holder']>;

/** One session as its executor and its log have it; answers and batches take a random time and may be lost. */
class World extends Bus {
  readonly log: Event[] = [];
  readonly frames = new Lines();
  readonly blobStore = new ReferenceBlobStore();
  readonly blobs = new PartBlobs(this.blobStore);
  /** Every frame that was ever published or committed, in order. */
  readonly made: Frame[] = [];
  run = newId(RunId);
  state: RunState = 'queued';
  epoch = 3;
  asked: string[] = [];
  away = false;
  pace: () => Promise<void> = () => Promise.resolve();
  #tail: DeltaFrame[] = [];
  readonly #held: FrameBatch[] = [];

  get seq(): number {
    return this.log.length;
  }

  get last(): number {
    return this.#tail.at(-1)?.id ?? durableFrameId(this.seq);
  }

  say(text: string, fate: Fate = 'arrives'): void {
    const frame: DeltaFrame = { kind: 'delta', id: this.last + 1, run: this.run, part: 0, type: 'text', text };
    this.state = 'running';
    this.#tail.push(frame);
    this.#send(frame, fate);
  }

  /** The model's reply, with all that was said since the last event. */
  reply(fate: Fate = 'arrives'): void {
    const text = this.#tail.map((frame) => frame.text).join('');
    const after = this.seq;
    const live: Live = { after, cuts: this.#tail.map((frame, index) => [index + 1, 0, frame.text.length]) };
    const parts = [{ type: 'text' as const, text, origin: 'model' as const }];
    this.commit({ kind: 'model_replied', round: 1, parts, usage, model: 'simulator/x', finish: 'stop' }, fate, live);
  }

  end(fate: Fate = 'arrives'): void {
    this.state = 'succeeded';
    this.commit({ kind: 'run_ended', state: 'succeeded', reason: null }, fate);
  }

  /** A run's own input is committed by its admission, and nobody sends it as a frame. */
  begin(run = newId(RunId)): void {
    this.run = run;
    this.state = 'queued';
    this.commit({ kind: 'input', parts: [{ type: 'text', text: 'hello', origin: 'user' }] }, 'lost');
  }

  commit(body: EventBody, fate: Fate = 'arrives', live: Live | null = null): void {
    const event: Event = { seq: this.seq + 1, run: this.run, at: new Date(this.seq * 1000), body, live, hidden: [] };
    this.log.push(event);
    this.#tail = [];
    this.#send({ kind: 'event', id: durableFrameId(event.seq), run: event.run, event }, fate);
  }

  async request<C extends Rpc>(contract: C, payload: RequestOf<C>): Promise<ResponseOf<C>> {
    this.asked.push(contract.subject);
    await this.pace();
    if (this.away) throw new PlatformError('unavailable', 'nobody is there');
    const answer = this.#answer(contract, contract.request.parse(payload));
    await this.pace();
    return contract.response.parse(JSON.parse(JSON.stringify(answer))) as ResponseOf<C>;
  }

  publish(): void {
    throw new Error('a reader publishes nothing');
  }

  subscribe(): () => void {
    throw new Error('a reader hears frames only');
  }

  serve(): () => void {
    throw new Error('a reader answers nobody');
  }

  #answer(contract: Rpc, request: unknown): unknown {
    if (contract.subject === readLog.subject) {
      const { after } = readLog.request.parse(request);
      const active = this.state === 'succeeded' ? null : { run: this.run, state: this.state, ...this.#holder };
      const events = this.log.slice(after, after + 3);
      return { events, more: this.seq > after + 3, spans: [[1, null]], active };
    }
    if (contract.subject === tailRun.subject) return { frames: this.#tailFor(tailRun.request.parse(request)) };
    if (contract.subject === getRunStates.subject) {
      const { runs } = getRunStates.request.parse(request);
      const found = runs.filter(({ run }) => run === this.run);
      return { runs: found.map((one) => ({ ...one, state: this.state, reason: null, seq: this.seq })) };
    }
    throw new Error(`nobody serves ${contract.subject}`);
  }

  get #holder(): { holder?: Holder } {
    return this.state === 'running' ? { holder: { executor: 7, epoch: this.epoch } } : {};
  }

  /** Only the run's holder has it, and only for the epoch under which it holds the run. */
  #tailFor({ run, executor, epoch }: Holder & { run: RunId }): DeltaFrame[] {
    return run === this.run && executor === 7 && epoch === this.epoch ? this.#tail : [];
  }

  #send(frame: Frame, fate: Fate): void {
    const after = this.made.at(-1)?.id ?? 0;
    this.made.push(frame);
    const batch: FrameBatch = { ...address, run: this.run, after, frames: [frame] };
    if (fate === 'arrives' || fate === 'twice') this.frames.publish(batch);
    if (fate === 'late') this.#held.push(batch);
    else for (const held of this.#held.splice(0)) this.frames.publish(held);
    if (fate === 'twice') this.frames.publish(batch);
  }
}

/** A line for frames that delivers at once. */
class Lines extends Frames {
  readonly #listeners = new Set<(batch: FrameBatch) => void>();

  publish(batch: FrameBatch): void {
    this.#listeners.forEach((listener) => listener(batch));
  }

  subscribe(_address: object, listener: (batch: FrameBatch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#listeners.size;
  }
}

interface Read {
  got: Frame[];
  end: StreamEnd | null;
}

const reader = (world: World, signal = new AbortController().signal) => {
  const stream = streamsOf(world).open(address, signal);
  return async (after: number, until: Until, known?: Event[]): Promise<Read> => {
    const got: Frame[] = [];
    for await (const frames of stream.read({ after, until, ...(known ? { known } : {}) })) got.push(...frames);
    return { got, end: stream.end };
  };
};

const read = (world: World, after: number, until: Until): Promise<Read> => reader(world)(after, until);

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a replay of the log gives: the frames that anybody must have had who had all from `after` on. */
const replay = (log: Event[], after: number): Frame[] => log.flatMap(framesOf).filter(({ id }) => id > after);

describe('a stream of a session', () => {
  it('gives the same frames live, from the tail and from the log', async () => {
    const world = new World();
    world.begin();
    const early = read(world, 0, 'idle');
    await tick();
    ['one ', 'two ', 'three'].forEach((text) => world.say(text));
    await tick();
    const mid = read(world, 0, 'idle');
    await tick();
    world.reply();
    world.end();
    const late = read(world, 0, 'idle');
    const [first, second, third] = await Promise.all([early, mid, late]);
    expect(first.got.map(({ id }) => id)).toEqual(world.made.map(({ id }) => id));
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect(first.end).toEqual({ why: 'idle' });
  });

  it('begins with the input it was given and asks nobody, when it was opened before the admission', async () => {
    const world = new World();
    const open = reader(world);
    world.begin();
    const reading = open(durableFrameId(0), { run: world.run }, [...world.log]);
    await tick();
    world.say('hello');
    world.reply();
    world.end();
    const { got, end } = await reading;
    expect(got).toEqual(world.made);
    expect(end).toEqual({ why: 'ended', state: 'succeeded', reason: null });
    expect(world.asked).toEqual([]);
  });

  it('ends with its run, although the next one has begun', async () => {
    const world = new World();
    world.begin();
    const reading = read(world, 0, { run: world.run });
    await tick();
    world.end();
    world.begin();
    world.say('of another run');
    const { got } = await reading;
    expect(got.at(-1)).toMatchObject({ event: { body: { kind: 'run_ended' } } });
    expect(got).toHaveLength(2);
  });

  it('stays over the ends of runs until nobody has the turn', async () => {
    const world = new World();
    world.begin();
    const reading = read(world, 0, 'idle');
    await tick();
    world.end();
    world.begin();
    await tick();
    world.say('again');
    world.reply();
    world.end();
    const { got, end } = await reading;
    expect(got).toEqual(world.made);
    expect(end).toEqual({ why: 'idle' });
  });

  it('follows words to the run that heard them', async () => {
    const world = new World();
    const words = newId(FactId);
    world.begin();
    const reading = read(world, durableFrameId(1), { words });
    await tick();
    world.end();
    world.begin(RunId.parse(words));
    await tick();
    const heard = world.run;
    world.end();
    world.begin();
    const { got, end } = await reading;
    expect(got.at(-1)).toMatchObject({ run: heard, event: { body: { kind: 'run_ended' } } });
    expect(end).toMatchObject({ why: 'ended' });
  });

  it('leaves no listener behind, however it ends', async () => {
    const world = new World();
    world.begin();
    const leave = new AbortController();
    const reading = reader(world, leave.signal)(0, 'idle');
    await tick();
    expect(world.frames.size).toBe(1);
    leave.abort();
    expect((await reading).end).toEqual({ why: 'left' });
    expect(world.frames.size).toBe(0);
  });

  it('ends at once for a reader who was gone before it began', async () => {
    const world = new World();
    world.begin();
    const { end } = await reader(world, AbortSignal.abort())(0, { run: world.run }, [...world.log]);
    expect(end).toEqual({ why: 'left' });
    expect(world.frames.size).toBe(0);
  });

  it('cuts a reader who does not keep up, instead of holding everything for it', async () => {
    const world = new World();
    const open = streamsOf(world).open(address, new AbortController().signal);
    world.begin();
    const iterator = open.read({ after: 0, until: 'idle' });
    await iterator.next();
    for (let n = 0; n < 100; n++) world.say('x'.repeat(64 * 1024));
    const rest: Frame[] = [];
    for await (const frames of iterator) rest.push(...frames);
    expect(open.end).toEqual({ why: 'cut' });
    expect(rest.length).toBeLessThan(100);
  });

  it('tells that the session is gone', async () => {
    const world = new World();
    world.request = () => Promise.reject(new PlatformError('not_found', 'gone'));
    await expect(read(world, 0, 'idle')).rejects.toThrow('gone');
    expect(world.frames.size).toBe(0);
  });

  it('gives rising ids and everything that counts, whatever is lost, late, doubled or slow', async () => {
    const fate = fc.constantFrom<Fate>('arrives', 'lost', 'twice', 'late');
    const step = fc.record({
      act: fc.constantFrom('say', 'say', 'say', 'reply', 'restart', 'next', 'steer'),
      fate,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
        fc.array(fc.record({ at: fc.nat(40), back: fc.nat(30) }), { minLength: 1, maxLength: 4 }),
        async (steps, paces, joins) => {
          const world = new World();
          let turn = 0;
          world.pace = async () => {
            for (let n = paces[turn++ % paces.length] ?? 0; n > 0; n--) await tick();
          };
          world.begin();
          const readers: { after: number; reading: Promise<Read> }[] = [];
          for (const [index, { act, fate }] of steps.entries()) {
            for (const { at, back } of joins) {
              if (at % steps.length !== index) continue;
              const after = world.made.at(-1 - back)?.id ?? 0;
              readers.push({ after, reading: read(world, after, 'idle') });
            }
            if (act === 'say') world.say(`w${index} `, fate);
            if (act === 'reply') world.reply(fate);
            if (act === 'restart') world.commit({ kind: 'restarted', round: 1 }, fate);
            if (act === 'steer') {
              world.reply(fate);
              world.commit({ kind: 'input', parts: [] }, fate);
            }
            if (act === 'next') {
              world.end(fate);
              world.begin();
            }
            if ((paces[index % paces.length] ?? 0) % 2 === 0) await tick();
          }
          world.end('twice');
          const texts = new Map(world.made.map((frame) => [frame.id, frame]));
          for (const { after, reading } of readers) {
            const { got, end } = await reading;
            expect(end).toEqual({ why: 'idle' });
            const ids = got.map(({ id }) => id);
            expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
            expect(got.every((frame) => frame.id > after)).toBe(true);
            const kept = new Set(replay(world.log, after).map(({ id }) => id));
            expect(got.filter(({ id }) => kept.has(id))).toEqual(replay(world.log, after));
            for (const frame of got) expect(frame).toEqual(texts.get(frame.id));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a reader who hears nothing', () => {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 250) {
      await jest.advanceTimersByTimeAsync(250);
      await tick();
    }
  };

  it('gets the end from the log after 2 s, when its frame was lost', async () => {
    const world = new World();
    world.begin();
    const reading = read(world, 0, { run: world.run });
    await tick();
    world.say('hello', 'lost');
    world.reply('lost');
    world.end('lost');
    await pass(2_500);
    const { got, end } = await reading;
    expect(got).toEqual(world.made);
    expect(end).toMatchObject({ why: 'ended', state: 'succeeded' });
  });

  it('gets the end from the row, when the run ended without having had the turn', async () => {
    const world = new World();
    world.begin();
    const behind = newId(RunId);
    const reading = read(world, durableFrameId(1), { run: behind });
    await tick();
    world.run = behind;
    world.state = 'cancelled';
    await pass(2_500);
    expect(await reading).toEqual({ got: [], end: { why: 'ended', state: 'cancelled', reason: null } });
  });

  it('is asked after together with all others, and not again while it hears something', async () => {
    const world = new World();
    world.begin();
    const streams = streamsOf(world);
    const leave = new AbortController();
    const readings = [1, 2, 3].map(async () => {
      for await (const frames of streams.open(address, leave.signal).read({ after: 0, until: 'idle' })) void frames;
    });
    await pass(1_500);
    world.say('hello');
    await pass(1_500);
    expect(world.asked.filter((subject) => subject === getRunStates.subject)).toHaveLength(0);
    await pass(1_000);
    expect(world.asked.filter((subject) => subject === getRunStates.subject)).toHaveLength(1);
    leave.abort();
    await Promise.all(readings);
  });

  it('is asked after again while nobody can answer', async () => {
    const world = new World();
    world.begin();
    const reading = read(world, 0, { run: world.run });
    await tick();
    world.end('lost');
    world.away = true;
    await pass(3_000);
    world.away = false;
    await pass(1_000);
    expect((await reading).end).toMatchObject({ why: 'ended' });
  });
});
