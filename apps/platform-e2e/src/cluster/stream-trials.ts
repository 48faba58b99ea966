import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnconfirmed } from '../client/fold.js';
import { eventsOf, type VectaraClient } from '../client/vectara-client.js';
import { type Frame, type SessionKeys } from '../client/wire.js';
import { type Chance } from '../product/chance.js';
import { until } from '../product/until.js';
import { type Cluster } from './cluster.js';

/** What a reader that was cut again and again has seen. */
export interface CutReport {
  cuts: number;
  /** From the request to the first frame of a reader that comes back, in ms, ascending. */
  firstFrameMs: number[];
  faults: string[];
}

/** What is left behind by readers that are gone, or never read. */
export interface LeftBehind {
  /** Open files of the gateway's process, before and after. */
  files: [number, number];
  /** Its resident memory in MB, before, at the most, and after. */
  memoryMb: [number, number, number];
  faults: string[];
}

/** Streams of a cluster with two gateways, broken off in every way. */
export class StreamTrials {
  #made = 0;
  readonly #agents = new Map<string, Promise<string>>();

  constructor(
    private readonly cluster: Cluster,
    private readonly chance: Chance,
  ) {}

  /** A reader of one turn is cut so many times, and comes back each time at the other gateway. */
  async cutAndResume(model: string, times: number): Promise<CutReport> {
    const clients = await this.#clients();
    const session = await this.#session(model);
    const report: CutReport = { cuts: 0, firstFrameMs: [], faults: [] };
    const received: Frame[] = [];
    let stream = await clients(0).say(session, 'read me in pieces');
    for (let cut = 1; cut <= times; cut += 1) {
      const isOver = await this.#readSome(stream, received, this.chance.between(1, 12));
      if (isOver) break;
      stream.leave();
      report.cuts += 1;
      const askedAt = performance.now();
      stream = await clients(cut).listen(session, lastIdOf(received));
      const first = await stream.next();
      if (!first) break;
      if (received.push(first) && first.event.type !== 'end') report.firstFrameMs.push(performance.now() - askedAt);
    }
    for await (const frame of stream.frames()) received.push(frame);
    report.faults.push(...(await this.#compared(session, received)));
    report.firstFrameMs.sort((a, b) => a - b);
    return report;
  }

  /** What a session's replay gives, from every gateway. */
  async replays(session: SessionKeys): Promise<Frame[][]> {
    const gateways = await this.cluster.places('gateway');
    return Promise.all(gateways.map(async ({ url }) => (await this.cluster.client(url).listen(session)).all()));
  }

  /** Clients connect and are gone again within 50 ms, so many of them. */
  async connectAndDrop(model: string, times: number): Promise<LeftBehind> {
    const session = await this.#session(model);
    const client = this.cluster.client();
    await (await client.say(session, 'something to read')).all();
    return this.#leftBehind(async () => {
      for (let done = 0; done < times; done += 50) {
        await Promise.all(Array.from({ length: 50 }, () => this.#connectBriefly(client, session)));
      }
    });
  }

  /** So many readers never read while others do; @returns also how long the healthy ones took. */
  async neverRead(model: string, readers: number): Promise<LeftBehind & { healthyMs: number[] }> {
    const sessions = await Promise.all(Array.from({ length: 10 }, () => this.#session(model)));
    const client = this.cluster.client();
    const healthyMs: number[] = [];
    const left = await this.#leftBehind(async () => {
      const talks = sessions.map(async (session) => client.say(session, 'a long answer'));
      const streams = await Promise.all(talks);
      const stuck = Array.from({ length: readers }, (_, at) =>
        this.#openWithoutReading(sessions[at % sessions.length]),
      );
      await Promise.all(
        streams.map(async (stream) => {
          const startedAt = performance.now();
          await stream.all();
          healthyMs.push(performance.now() - startedAt);
        }),
      );
      for (const one of stuck) one.destroy();
    });
    return { ...left, healthyMs: healthyMs.sort((a, b) => a - b) };
  }

  /** Ids that are none, of another session, or of the future; @returns their statuses. */
  async oddIds(model: string): Promise<Record<string, number>> {
    const [session, other] = [await this.#session(model), await this.#session(model)];
    const client = this.cluster.client();
    const frames = await (await client.say(other, 'elsewhere')).all();
    await (await client.say(session, 'here')).all();
    const ids: Record<string, string> = {
      garbage: 'not-an-id',
      empty: '',
      foreign: lastIdOf(frames) ?? '',
      huge: 'x'.repeat(5_000),
    };
    const entries = Object.entries(ids).map(async ([name, id]) => {
      const headers = { accept: 'text/event-stream', 'last-event-id': id };
      const { status } = await client.send({ path: eventsOf(session), headers });
      return [name, status] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  async #clients(): Promise<(at: number) => VectaraClient> {
    const gateways = await this.cluster.places('gateway');
    return (at) => this.cluster.client(gateways[at % gateways.length]?.url);
  }

  async #session(model: string): Promise<SessionKeys> {
    const client = this.cluster.client();
    const agent = this.#agents.get(model) ?? client.makeAgent(`streams-${model}`, `openai/${model}`);
    this.#agents.set(model, agent);
    return client.makeSession(await agent, `st${(this.#made += 1)}`);
  }

  /** @returns whether the stream has ended. */
  async #readSome(stream: { next(): Promise<Frame | undefined> }, into: Frame[], count: number): Promise<boolean> {
    for (let read = 0; read < count; read += 1) {
      const frame = await stream.next();
      if (!frame) return true;
      into.push(frame);
    }
    return false;
  }

  async #compared(session: SessionKeys, received: Frame[]): Promise<string[]> {
    const shown = received.filter(({ event }) => event.type !== 'end').map(wireOf);
    const faults: string[] = [];
    for (const replay of await this.replays(session)) {
      const whole = replay.filter(({ event }) => event.type !== 'end').map(wireOf);
      if (JSON.stringify(whole) !== JSON.stringify(shown)) faults.push(differenceOf(shown, whole));
    }
    if (isUnconfirmed(received.at(-1))) faults.push('the last frame is half a message');
    const ids = received.flatMap(({ id }) => id ?? []);
    if (new Set(ids).size !== ids.length) faults.push('an id came twice');
    return faults;
  }

  #connectBriefly(client: VectaraClient, session: SessionKeys): Promise<void> {
    return new Promise((resolve) => {
      const call = this.#open(client, session);
      call.on('error', () => resolve());
      call.on('close', () => resolve());
      setTimeout(() => call.destroy(), this.chance.between(0, 50));
    });
  }

  #openWithoutReading(session: SessionKeys | undefined): ReturnType<typeof request> {
    if (!session) throw new TypeError('no session');
    const call = this.#open(this.cluster.client(), session);
    call.on('error', () => undefined);
    call.on('response', (response) => response.pause());
    return call;
  }

  #open(client: VectaraClient, session: SessionKeys): ReturnType<typeof request> {
    const headers = { accept: 'text/event-stream', 'x-api-key': client.key ?? '' };
    const call = request(`${client.url}${eventsOf(session)}`, { headers, agent: false });
    call.end();
    return call;
  }

  async #leftBehind(act: () => Promise<void>): Promise<LeftBehind> {
    const [gateway] = await this.cluster.places('gateway');
    const pid = gateway?.pid ?? 0;
    const before = { files: filesOf(pid), memory: memoryOf(pid) };
    let most = before.memory;
    const watch = setInterval(() => (most = Math.max(most, memoryOf(pid))), 100);
    await act();
    clearInterval(watch);
    const faults: string[] = [];
    await until('the gateway lets go', () => filesOf(pid) <= before.files + 3, 10_000).catch((error: unknown) =>
      faults.push(String(error)),
    );
    await sleep(200);
    return { files: [before.files, filesOf(pid)], memoryMb: [before.memory, most, memoryOf(pid)], faults };
  }
}

const lastIdOf = (frames: readonly Frame[]): string | undefined =>
  frames.findLast(({ id }) => id !== null)?.id ?? undefined;

const wireOf = ({ id, data }: Frame): string => `${id} ${data}`;

const differenceOf = (shown: string[], whole: string[]): string => {
  const at = shown.findIndex((frame, index) => frame !== whole[index]);
  return `frame ${at} of ${shown.length}: ${shown[at]} is ${whole[at]} in a replay of ${whole.length}`;
};

const filesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** In MB. */
const memoryOf = (pid: number): number => {
  const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1_024);
};
