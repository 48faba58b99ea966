import { readLog, type RequestOf, type ResponseOf, tailRun } from '@parley/contracts';
import {
  durableFrameId,
  type Event,
  type Frame,
  isTerminal,
  type OnDisconnect,
  type RunId,
  seqOfFrame,
  type SessionId,
  type TenantId,
  type TerminalState,
} from '@parley/core';
import { type Bus, type Frames } from '@parley/messaging';
import { type PartBlobs } from '@parley/persistence';
import { isDisconnect } from '../http/door/departure.js';
import { cancelLeftRun } from './cancel-left-run.js';
import { FrameInbox } from './frame-inbox.js';
import { FrameLine } from './frame-line.js';
import { type RunWatch, type Standing } from './run-watch.js';
import { type Until, UntilEvent } from './until.js';
import { wholeFrames } from './whole-frames.js';

const PAGE = 200;

/** The session whose frames are read. */
export interface StreamAddress {
  tenant: TenantId;
  session: SessionId;
}

/** What a stream is made from. */
export interface StreamSources {
  bus: Bus;
  frames: Frames;
  watch: RunWatch;
  blobs: PartBlobs;
}

/** Where reading begins and ends. */
export interface Reading {
  /** The last frame that the reader has had. */
  after: number;
  until: Until;
  /** The events behind `after`, where the caller knows them: then neither log nor tail is asked before the first live frame. */
  known?: Event[];
  /**
   * What becomes of the run that is read to its end, if the reader goes away before that; by itself it goes on. Only
   * who has admitted the run may say it; words that steer another one's run end nothing.
   */
  onDisconnect?: OnDisconnect;
}

/**
 * Why a stream ended. `cut`: the reader was too slow, and may resume; `left`: it is gone. The state is that of the run
 * that was followed, where one was.
 */
export type StreamEnd =
  { why: 'ended'; state: TerminalState; reason: string | null } | { why: 'idle' } | { why: 'cut' } | { why: 'left' };

/**
 * One reader of a session: hears live frames from the moment it is made, and reads what came before, and what was lost,
 * from the log and from the tail. Gives every frame after the reader's last exactly once and in order (DESIGN §6).
 */
export class SessionStream {
  /** Why reading ended; null while it goes on. */
  end: StreamEnd | null = null;
  /** The event before the first frame, where the log was asked for it. */
  before: Event | null = null;
  heardAt = performance.now();

  readonly #inbox = new FrameInbox();
  readonly #stops: (() => void)[];
  #line = new FrameLine(0);
  #until = new UntilEvent('idle');
  #active: ResponseOf<typeof readLog>['active'] = null;
  #standing: Standing | null | undefined;
  /** A run has ended, and whether another one follows is to be read. */
  #restless = false;
  /** Where the line stood when pieces of text were missing that neither log nor tail had: they come with their event. */
  #hole = -1;

  constructor(
    private readonly sources: StreamSources,
    private readonly address: StreamAddress,
    private readonly signal: AbortSignal,
  ) {
    const leave = (): void => this.#inbox.poke();
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    this.#stops = [
      sources.frames.subscribe(address, ({ frames }) => this.#hear(frames)),
      sources.watch.watch(this),
      () => signal.removeEventListener('abort', leave),
    ];
  }

  get tenant(): TenantId {
    return this.address.tenant;
  }

  /** The run that is asked after when nothing is heard. */
  get run(): RunId | null {
    return this.#until.run;
  }

  tell(standing: Standing | null): void {
    this.#standing = standing;
    this.#inbox.poke();
  }

  /** Stops hearing. Called by the end of `read`; by whoever made the stream if it does not come to that. */
  close(): void {
    this.#stops.forEach((stop) => stop());
    this.#stops.length = 0;
  }

  /**
   * The frames, all that there is at a time; `end` says why there are no more.
   * @throws PlatformError `not_found`: the session is gone.
   */
  async *read({ after, until, known, onDisconnect = 'continue' }: Reading): AsyncGenerator<Frame[]> {
    this.#line = new FrameLine(after);
    this.#until = new UntilEvent(until);
    try {
      if (known) yield* this.#show(known.map(frameOf));
      else yield* this.#join();
      while (!this.end) {
        const heard = await this.#inbox.take();
        if (this.signal.aborted) this.end = { why: 'left' };
        else if (!this.#inbox.fits) this.end = { why: 'cut' };
        else yield* this.#goOn(heard);
      }
    } catch (error) {
      if (!this.signal.aborted) throw error;
      this.end = { why: 'left' };
    } finally {
      this.close();
      if (onDisconnect === 'cancel') this.#cancelIfLeft(until);
    }
  }

  /** Also where whoever reads stops before it is told that the reader is gone. */
  #cancelIfLeft(until: Until): void {
    if (this.end?.why === 'ended' || !isDisconnect(this.signal)) return;
    if (typeof until === 'object' && 'run' in until) void cancelLeftRun(this.sources.bus, this.address, until.run);
  }

  #hear(frames: readonly Frame[]): void {
    this.heardAt = performance.now();
    this.#inbox.push(frames);
  }

  async *#join(): AsyncGenerator<Frame[]> {
    yield* this.#readLog(Math.max(0, seqOfFrame(this.#line.last) - 1));
    if (!this.end) yield* this.#show(await this.#tail());
  }

  async *#goOn(heard: Frame[]): AsyncGenerator<Frame[]> {
    if (heard.length > 0) yield* this.#show(heard);
    const standing = this.#standing;
    this.#standing = undefined;
    if (!this.end && (this.#restless || this.#isBehind(standing))) yield* this.#readLog();
    if (this.end || standing === undefined) return;
    if (standing === null) this.end = { why: 'idle' };
    else if (isTerminal(standing.state) && this.#until.isFor(standing.run)) {
      this.end = { why: 'ended', state: standing.state, reason: standing.reason };
    }
  }

  /** Whether the row tells of something that the reader has not had. */
  #isBehind(standing: Standing | null | undefined): boolean {
    if (standing === undefined) return false;
    return standing === null || isTerminal(standing.state) || standing.seq > seqOfFrame(this.#line.last);
  }

  /** Shows what comes next of `frames`, and gets what is missing before the rest of them. */
  async *#show(frames: readonly Frame[]): AsyncGenerator<Frame[]> {
    for await (const whole of this.#whole(frames)) {
      yield* this.#showWhole(whole);
      if (this.end) return;
    }
  }

  #whole(frames: readonly Frame[]): AsyncGenerator<readonly Frame[]> {
    const isNew = ({ id }: Frame): boolean => id > this.#line.last;
    return wholeFrames({ blobs: this.sources.blobs, address: this.address, isNew }, frames);
  }

  async *#showWhole(frames: readonly Frame[]): AsyncGenerator<Frame[]> {
    let { shown, early } = this.#line.take(frames);
    if (shown.length > 0) yield this.#pass(shown);
    if (this.end || early.length === 0) return;
    if (this.#hole === this.#line.last && early.every(({ kind }) => kind === 'delta')) return;
    yield* this.#readLog();
    for (const source of ['log', 'tail']) {
      if (this.end) return;
      if (source === 'tail') early = [...(await this.#tail()), ...early];
      ({ shown, early } = this.#line.take(early));
      if (shown.length > 0) yield this.#pass(shown);
      if (early.length === 0) return;
    }
    this.#hole = this.#line.last;
  }

  /** What is handed on: up to the frame that ends the reading. */
  #pass(shown: Frame[]): Frame[] {
    const { frames, ended, restless } = this.#until.see(shown);
    if (ended) this.end = { why: 'ended', ...ended };
    this.#restless ||= restless;
    return frames;
  }

  async *#readLog(from = seqOfFrame(this.#line.last)): AsyncGenerator<Frame[]> {
    let after = from;
    for (let more = true; more;) {
      const request = { ...this.address, after, limit: PAGE };
      const page = await this.sources.bus.request(readLog, request, { signal: this.signal });
      this.before ??= page.events.find(({ seq }) => durableFrameId(seq) <= this.#line.last) ?? null;
      this.#active = page.active;
      this.#until.note(page.active?.run ?? null);
      more = page.more;
      after = page.events.at(-1)?.seq ?? after;
      for await (const frames of this.#whole(page.events.map(frameOf))) {
        const { shown } = this.#line.take(frames);
        if (shown.length > 0) yield this.#pass(shown);
        if (this.end) return;
      }
    }
    this.#restless = false;
    if (this.#active === null && this.#until.mayRest) this.end = { why: 'idle' };
  }

  /** The live text of the run under way that is not in the log yet; none where its holder does not answer. */
  async #tail(): Promise<Frame[]> {
    const tail: Frame[] = [];
    if (!this.#active?.holder) return tail;
    const { run, holder } = this.#active;
    for (let after: number | null = this.#line.last; after !== null;) {
      const page: TailPage = await this.#tailPage({ ...holder, tenant: this.tenant, run, after });
      tail.push(...page.frames);
      after = page.more ? (page.frames.at(-1)?.id ?? null) : null;
    }
    return tail;
  }

  async #tailPage(request: RequestOf<typeof tailRun>): Promise<TailPage> {
    const asked = this.sources.bus.request(tailRun, request, { signal: this.signal });
    return await asked.catch(() => ({ frames: [] }));
  }
}

type TailPage = ResponseOf<typeof tailRun>;

const frameOf = (event: Event): Frame => ({ kind: 'event', id: durableFrameId(event.seq), run: event.run, event });
