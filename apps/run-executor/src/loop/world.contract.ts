import { setTimeout as sleep } from 'node:timers/promises';
import {
  AgentId,
  endingEvents,
  DEFAULT_BUDGET,
  DEFAULT_RETRY,
  FactId,
  framesOf,
  isTerminal,
  newId,
  RunId,
  SessionId,
  TenantId,
  type AgentVersion,
  type Budget,
  type Event,
  type FactBody,
  type Frame,
  type OutputFormat,
  type Retry,
  type Run,
} from '@parley/core';
import { getAgentVersion, runNudged, tailRun } from '@parley/contracts';
import { InProcessBus, InProcessFrames, InProcessHub, InProcessPermits } from '@parley/messaging';
import {
  PartBlobs,
  ReferenceBlobStore,
  type Admission,
  type Admitted,
  type RunLog,
  type SessionRef,
  type Situation,
} from '@parley/persistence';
import { Executor } from '../executor/executor.js';
import { type ExecutorOptions } from '../executor/executor-options.js';
import { wordsProgram } from '../isolation/words-program.contract.js';
import { AgentVersions } from './agent-versions.js';
import { Announcer } from './announcer.js';
import { Draft } from './draft.js';
import { LoopTools } from './loop-tools.js';
import { type Model } from './model.js';
import { Transcripts } from './transcripts.js';

/** An executor and what it works with; each has its own memory, as a process has. */
export interface Process {
  executor: Executor;
  tools: LoopTools;
}

/** A run in the hands of an executor. */
export interface RunHolder {
  run: RunId;
  executor: number;
  epoch: number;
}

/**
 * Everything around executors, in one process and for real: log, bus, frames, permits. The spec plays the session app:
 * it admits runs and posts facts.
 */
export class World {
  readonly hub = new InProcessHub();
  readonly bus = new InProcessBus(this.hub);
  readonly frames = new InProcessFrames();
  readonly permits = new InProcessPermits();
  readonly blobStore = new ReferenceBlobStore();
  readonly blobs = new PartBlobs(this.blobStore);
  /** How the agent makes failed model calls again. */
  retry: Retry = DEFAULT_RETRY;
  /** What the agent's answers have to be. */
  output: OutputFormat | undefined;
  readonly #processes: Process[] = [];
  readonly #closings: (() => Promise<void>)[] = [];

  /** @param insert makes a session's row. */
  constructor(
    readonly log: RunLog,
    private readonly insert: (ref: SessionRef) => Promise<void>,
    readonly tenant = newId(TenantId),
    readonly agent = newId(AgentId),
  ) {
    this.hub.serve(getAgentVersion.subject, async () => JSON.stringify(this.agentVersion()));
  }

  agentVersion(): AgentVersion {
    const definition = {
      name: 'Greeter',
      description: null,
      enabled: true,
      model: { handle: 'scripted', parameters: {}, retry: this.retry },
      instructions: [{ name: 'tone', template: 'Be kind.' }],
      budget: DEFAULT_BUDGET,
      metadata: {},
      facets: {},
      ...(this.output && { output: this.output }),
    };
    return { agent: this.agent, key: 'greeter', version: 1, definition, createdAt: new Date() };
  }

  /** A process that executes runs, not yet started. */
  process(model: Model, options: Partial<ExecutorOptions> = {}): Process {
    const announcer = new Announcer(this.frames, this.permits);
    const transcripts = new Transcripts(this.log, this.blobs);
    const tools = new LoopTools(this.log, model, new AgentVersions(this.bus), transcripts, announcer);
    const executor = new Executor(
      tools,
      { slots: 8, graceMs: 50, isAlone: false, isolated: wordsProgram(), ...options },
      this.bus,
      this.permits,
    );
    const process = { executor, tools };
    this.#processes.push(process);
    return process;
  }

  async start(model: Model, options: Partial<ExecutorOptions> = {}): Promise<Process> {
    const process = this.process(model, options);
    await process.executor.onApplicationBootstrap();
    return process;
  }

  async session(): Promise<SessionRef> {
    const ref = { tenant: this.tenant, session: newId(SessionId) };
    await this.insert(ref);
    return ref;
  }

  async admit(ref: SessionRef, text: string, over: Partial<Admission> & { budget?: Budget } = {}): Promise<Admitted> {
    const admission: Admission = {
      ...ref,
      id: newId(RunId),
      agent: this.agent,
      version: 1,
      parts: [{ type: 'text', text, origin: 'user' }],
      budget: DEFAULT_BUDGET,
      whenBusy: 'defer',
      whenWaiting: 'defer',
      ...over,
    };
    return await this.log.admit(admission);
  }

  /** Admits a run and rings for it. */
  async send(ref: SessionRef, text: string, over: Partial<Admission> = {}): Promise<RunId> {
    const id = newId(RunId);
    await this.admit(ref, text, { id, ...over });
    await this.permits.add(1);
    return id;
  }

  /** Posts a fact and nudges the holder, as the session app does. `quietly`: the nudge gets lost. */
  async post(ref: SessionRef, run: RunId, body: FactBody, { quietly = false } = {}): Promise<void> {
    const posted = await this.log.post(ref, { id: newId(FactId), run, body });
    if (posted.outcome === 'unheld') return await this.#end(ref, posted.situation);
    if (posted.outcome !== 'held' || quietly) return;
    const { executor } = posted;
    this.bus.publish(runNudged, { executor }, { executor, ...ref, run });
  }

  /** Who holds the session's run, by its row. */
  async holder(ref: SessionRef): Promise<RunHolder> {
    const active = (await this.log.look(ref))?.active;
    if (!active?.executor) throw new Error('nobody holds a run of this session');
    const { run, executor, epoch } = active;
    return { run, executor, epoch };
  }

  /** The message in the making, as its holder tells it. */
  async tail(tenant: TenantId, holder: RunHolder): Promise<Frame[]> {
    return (await this.bus.request(tailRun, { tenant, ...holder })).frames;
  }

  steer(ref: SessionRef, run: RunId, text: string, { quietly = false } = {}): Promise<void> {
    return this.post(ref, run, { kind: 'steer', parts: [{ type: 'text', text, origin: 'user' }] }, { quietly });
  }

  cancel(ref: SessionRef, run: RunId, { rewind = false, quietly = false } = {}): Promise<void> {
    return this.post(ref, run, { kind: 'cancel', reason: 'interrupted', rewind }, { quietly });
  }

  /** What the session app does with a cancel of a run that nobody holds. */
  async #end(ref: SessionRef, { head, facts, active }: Situation): Promise<void> {
    const cancel = facts.find(({ body }) => body.kind === 'cancel');
    if (!cancel || !head.run || active?.state !== 'waiting') return;
    const end = { state: 'cancelled' as const, reason: 'interrupted' };
    const draft = new Draft(head.run.id, head).with(endingEvents(head, head.run, end));
    draft.take([cancel.id]);
    await this.log.write({ ...ref, run: head.run.id, then: { end }, ...draft.addition([]) });
  }

  /** Waits until the run rests. */
  async parked(run: RunId): Promise<void> {
    while ((await this.log.getRun(this.tenant, run))?.state !== 'waiting') await sleep(5);
  }

  /** Waits until the run has ended. */
  async ended(run: RunId): Promise<Run> {
    for (;;) {
      const row = await this.log.getRun(this.tenant, run);
      if (row && isTerminal(row.state)) return row;
      await sleep(5);
    }
  }

  async events(ref: SessionRef): Promise<Event[]> {
    const page = await this.log.read(ref, { after: 0, limit: 1_000 });
    return page?.events ?? [];
  }

  async kinds(ref: SessionRef): Promise<string[]> {
    return (await this.events(ref)).map(({ body }) => body.kind);
  }

  /** What a reader is given who comes when all is over. */
  async replay(ref: SessionRef): Promise<Frame[]> {
    return (await this.events(ref)).flatMap(framesOf);
  }

  /** What a reader hears who is there from now on. */
  listen(ref: SessionRef): Frame[] {
    const heard: Frame[] = [];
    this.frames.subscribe(ref, ({ frames }) => heard.push(...frames));
    return heard;
  }

  /** What has to be closed with this world. */
  onClose(close: () => Promise<void>): void {
    this.#closings.push(close);
  }

  /** Stops every process, and then the log that they work on. */
  async close(): Promise<void> {
    await Promise.all(this.#processes.map(({ executor }) => executor.beforeApplicationShutdown()));
    await this.log.close();
    await Promise.all(this.#closings.map((close) => close()));
  }
}
