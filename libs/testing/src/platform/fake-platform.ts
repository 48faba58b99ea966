import * as contracts from '@parley/contracts';
import { type ParsedOf, type RequestOf, type ResponseOf, type Rpc } from '@parley/contracts';
import { notFound, PlatformError } from '@parley/core';
import { Bus, InProcessFrames, type RequestOptions } from '@parley/messaging';
import { type z } from 'zod';
import { FakeAgents } from './fake-agents.js';
import { pageOfItems } from './fake-page.js';
import { FakeSessions } from './fake-sessions.js';
import { echo, type Script } from './fake-turn.js';

type Answer<C extends Rpc> = (request: ParsedOf<C>) => z.input<C['response']> | Promise<z.input<C['response']>>;

/**
 * All that stands behind the bus, in memory: agents, sessions with their logs, and runs that play a script. It keeps the
 * contracts, both ways, so that a dialect can be tried without a database; what it does not keep is kept by the suites
 * of the real services.
 */
export class FakePlatform extends Bus {
  readonly frames = new InProcessFrames();
  readonly agents = new FakeAgents();
  readonly sessions: FakeSessions;
  readonly providers: ResponseOf<typeof contracts.listProviders> = {
    default: 'simulator',
    providers: [
      {
        name: 'simulator',
        baseUrl: 'http://127.0.0.1/v1',
        hasKey: false,
        headers: ['x-team'],
        defaultModel: 'sim-1-0',
        quirks: { streamOptions: false },
        models: { 'sim-*': { window: 1_000 } },
        pausedMs: 0,
      },
    ],
  };
  /** Subjects in the order in which they were asked. */
  readonly asked: string[] = [];
  /** Errors that the next questions of a subject are answered with. */
  readonly failures = new Map<string, PlatformError[]>();
  readonly #waiting: { subject: string; resolve: () => void }[] = [];
  readonly #answers = new Map<string, (request: unknown) => unknown>();

  constructor(script: Script = echo) {
    super();
    this.sessions = new FakeSessions(this.agents, this.frames, script);
    this.#serveAgents();
    this.#serveSessions();
    this.#serveRuns();
    this.#serveProviders();
  }

  async request<C extends Rpc>(
    contract: C,
    payload: RequestOf<C>,
    options: RequestOptions = {},
  ): Promise<ResponseOf<C>> {
    this.asked.push(contract.subject);
    if (options.signal?.aborted || (options.deadline && options.deadline.getTime() <= Date.now())) throw late(contract);
    await new Promise((resolve) => setImmediate(resolve));
    const failure = this.failures.get(contract.subject)?.shift();
    if (failure) throw failure;
    const serve = this.#answers.get(contract.subject);
    if (!serve) throw new PlatformError('unavailable', `nobody serves ${contract.subject}`);
    const answer = await serve(contract.request.parse(JSON.parse(JSON.stringify(payload))));
    for (const { subject, resolve } of this.#waiting) if (subject === contract.subject) resolve();
    return contract.response.parse(JSON.parse(JSON.stringify(answer))) as ResponseOf<C>;
  }

  /** Waits until a subject has been asked and answered once more than it was. */
  async asks(subject: string): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push({ subject, resolve }));
  }

  /** How often a subject was asked. */
  count(subject: string): number {
    return this.asked.filter((one) => one === subject).length;
  }

  publish(): void {
    throw new Error('nobody hears the events of a fake platform');
  }

  subscribe(): () => void {
    return () => undefined;
  }

  serve(): () => void {
    throw new Error('a fake platform answers by its own script');
  }

  #serve<C extends Rpc>(contract: C, answer: Answer<C>): void {
    this.#answers.set(contract.subject, (request) => answer(request as ParsedOf<C>));
  }

  #serveAgents(): void {
    const { agents } = this;
    this.#serve(contracts.createAgent, (request) => agents.create(request));
    this.#serve(contracts.getAgent, ({ tenant, agent }) => agents.get(tenant, agent));
    this.#serve(contracts.listAgents, (request) => agents.list(request));
    this.#serve(contracts.reviseAgent, (request) => agents.revise(request));
    this.#serve(contracts.deleteAgent, ({ tenant, id }) => {
      if (this.sessions.areUnder(id)) throw new PlatformError('illegal_state', `agent '${id}' has sessions`);
      return agents.delete(tenant, id);
    });
  }

  #serveProviders(): void {
    this.#serve(contracts.listProviders, () => this.providers);
  }

  #serveSessions(): void {
    const { sessions } = this;
    this.#serve(contracts.createSession, (request) => sessions.create(request));
    this.#serve(contracts.getSession, ({ tenant, session }) => sessions.get(tenant, session));
    this.#serve(contracts.listSessions, (request) => sessions.list(request));
    this.#serve(contracts.updateSession, (request) => sessions.update(request));
    this.#serve(contracts.deleteSession, ({ tenant, id }) => sessions.delete(tenant, id));
  }

  #serveRuns(): void {
    const { sessions } = this;
    this.#serve(contracts.readLog, ({ tenant, session, after, limit }) =>
      sessions.logOf(tenant, session).read(after, limit),
    );
    this.#serve(contracts.admitRun, (request) => sessions.admit(request));
    this.#serve(contracts.cancelRun, ({ tenant, session, run, reason }) =>
      sessions.logOf(tenant, session).cancel(run, reason),
    );
    this.#serve(contracts.listDeadLetters, ({ tenant, ...page }) =>
      pageOfItems(
        sessions
          .logs(tenant)
          .flatMap(({ deadLetters }) => deadLetters)
          .reverse(),
        page,
      ),
    );
    this.#serve(contracts.rerunDeadLetter, ({ tenant, run }) => {
      for (const log of sessions.logs(tenant)) {
        const rerun = log.rerun(run);
        if (rerun) return rerun;
      }
      throw notFound('run', run);
    });
    this.#serve(contracts.tailRun, ({ run }) => ({ frames: sessions.logs().flatMap((log) => log.tailOf(run)) }));
    this.#serve(contracts.getRunStates, ({ runs }) => ({
      runs: runs.flatMap(({ tenant, run }) => sessions.logs(tenant).flatMap((log) => log.standingOf(run))),
    }));
  }
}

const late = ({ subject }: Rpc): PlatformError => new PlatformError('timeout', `${subject} did not answer in time`);
