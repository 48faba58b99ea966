import { Injectable, Logger } from '@nestjs/common';
import { admitRun, cancelRun, getSession, type ResponseOf } from '@parley/contracts';
import { durableFrameId, type Event, FactId, newId, PlatformError, RunId } from '@parley/core';
import { Bus } from '@parley/messaging';
import { refused } from '../../../http/body/parsed.js';
import { RunAdmission } from '../../../runs/run-admission.js';
import { type Reading, type SessionStream } from '../../../streams/session-stream.js';
import { SessionStreams } from '../../../streams/session-streams.js';
import { type Caller } from '../caller.js';
import { Directory, type SessionPath, type SessionPlace } from '../directory.js';
import { FROM_START, resumeAt, type Resumption } from '../frames.js';
import { EventIds } from '../ids.js';
import { EventLog } from './event-log.js';
import { type EventSetting, eventSetting } from './map.js';
import { type InputMessageRequest } from './wire.js';

/** A part of a session's history that a client waits for, ready to be read. */
export interface Turn {
  stream: SessionStream;
  reading: Reading;
  resumption: Resumption;
  setting: EventSetting;
  /** Ends the run that this request has made, where it has made one: its time is up. */
  abandon(): Promise<void>;
}

/** Who waits for a turn, of which session, and until when. */
export interface Waiting {
  caller: Caller;
  path: SessionPath;
  /** Aborts when nobody waits any more. */
  signal: AbortSignal;
}

type Admitted = ResponseOf<typeof admitRun>;

/** Where a client says that it was: an id, and the field that it stands in. */
export interface Cursor {
  field: string;
  id: string;
}

/** What a client can do to a session: say something, interrupt, listen. */
@Injectable()
export class Turns {
  readonly #logger = new Logger(Turns.name);

  constructor(
    private readonly bus: Bus,
    private readonly directory: Directory,
    private readonly streams: SessionStreams,
    private readonly log: EventLog,
    private readonly admission: RunAdmission,
  ) {}

  /**
   * Admits words as a turn of their own, or to the turn that is under way.
   * @throws PlatformError `illegal_state` where a turn is under way and the words name no `since`.
   */
  async say(waiting: Waiting, request: InputMessageRequest): Promise<Turn> {
    const { caller, path } = waiting;
    return await this.directory.withSession(caller, path, async (place) => {
      const cursor = request.since === undefined ? undefined : { field: 'since', id: request.since };
      const resumption = cursor && (await this.#resumption(caller, place, cursor));
      const stream = this.#open(waiting, place);
      try {
        const parts = request.messages.map(({ content }) => ({
          type: 'text' as const,
          text: content,
          origin: 'user' as const,
        }));
        const run = newId(RunId);
        const admitted = await this.#admit(waiting, place, { run, parts, policies: policiesOf(request) });
        const [from, reading] = resumption
          ? [resumption, { after: resumption.after, until: untilOf(run, admitted) }]
          : freshReading(run, parts, admitted);
        const abandon = (): Promise<void> => this.#abandon(caller, place, run);
        return { stream, reading, resumption: from, setting: eventSetting(place, path), abandon };
      } catch (error) {
        stream.close();
        throw error;
      }
    });
  }

  /** Ends the turn that is under way; undefined where there is none. */
  async interrupt(waiting: Waiting): Promise<Turn | undefined> {
    const { caller, path } = waiting;
    const { tenant, options } = caller;
    return await this.directory.withSession(caller, path, async (place) => {
      const stream = this.#open(waiting, place);
      try {
        const { head, active } = await this.bus.request(
          getSession,
          { tenant, session: { id: place.session } },
          options,
        );
        if (!active) {
          stream.close();
          return undefined;
        }
        await this.#cancel(caller, place, active.run);
        const after = durableFrameId(head.seq);
        const reading = { after, until: { run: active.run } };
        return {
          stream,
          reading,
          resumption: { ...FROM_START, after },
          setting: eventSetting(place, path),
          abandon: nothing,
        };
      } catch (error) {
        stream.close();
        throw error;
      }
    });
  }

  /** What has happened since the cursor, and what happens until nobody has the turn. */
  async listen(waiting: Waiting, cursor: Cursor | undefined): Promise<Turn> {
    const { caller, path } = waiting;
    return await this.directory.withSession(caller, path, async (place) => {
      const session = { id: place.session };
      await this.bus.request(getSession, { tenant: caller.tenant, session }, caller.options);
      const resumption = cursor ? await this.#resumption(caller, place, cursor) : FROM_START;
      const stream = this.#open(waiting, place);
      const reading: Reading = { after: resumption.after, until: 'idle' };
      return { stream, reading, resumption, setting: eventSetting(place, path), abandon: nothing };
    });
  }

  #open({ caller, signal }: Waiting, { session }: SessionPlace): SessionStream {
    return this.streams.open({ tenant: caller.tenant, session }, signal);
  }

  async #resumption(caller: Caller, place: SessionPlace, { field, id }: Cursor): Promise<Resumption> {
    if (id === 'start') return FROM_START;
    const known = new EventIds(place.session).placeOf(id);
    if (!known) throw refused(field, 'is not the id of an event of this session');
    await this.log.check(caller, place, known, field);
    return resumeAt(known);
  }

  async #admit(
    { caller, path }: Waiting,
    { agent, session }: SessionPlace,
    { run, parts, policies }: { run: RunId; parts: InputParts; policies: Policies },
  ): Promise<Admitted> {
    const request = { tenant: caller.tenant, id: run, session, agent, parts, ...policies };
    try {
      return await this.admission.admit(request, caller.options);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.code === 'timeout') void this.#abandon(caller, { agent, session }, run);
      throw error.code === 'illegal_state' ? refusedBy(error, path) : error;
    }
  }

  async #cancel({ tenant }: Caller, { session }: SessionPlace, run: RunId): Promise<void> {
    const fact = newId(FactId);
    await this.bus.request(cancelRun, { tenant, session, run, fact, reason: 'interrupted', rewind: false });
  }

  async #abandon(caller: Caller, place: SessionPlace, run: RunId): Promise<void> {
    try {
      await this.#cancel(caller, place, run);
    } catch (error) {
      const isGone = error instanceof PlatformError && error.code === 'not_found';
      if (!isGone) this.#logger.warn({ run, err: error }, 'a run whose time was up could not be ended');
    }
  }
}

/** Why words were not taken, by the keys that the client knows. */
const refusedBy = ({ details }: PlatformError, { agentKey, sessionKey }: SessionPath): PlatformError => {
  const told: Record<string, string> = {
    agent: `agent '${agentKey}' is disabled`,
    session: `session '${sessionKey}' is disabled`,
  };
  const busy = `session '${sessionKey}' has a turn under way: wait for its end, interrupt it, or send since`;
  return new PlatformError('illegal_state', told[details.noun ?? ''] ?? busy);
};

type InputParts = { type: 'text'; text: string; origin: 'user' }[];
type Policies = ReturnType<typeof policiesOf>;

/** Without `since` a busy session refuses; with it the words wait for the next turn, unless they are to steer this one. */
const policiesOf = ({ since, behavior }: InputMessageRequest) => {
  if (since === undefined) return { whenBusy: 'reject', whenWaiting: 'reject' } as const;
  return { whenBusy: behavior === 'steer' ? 'steer' : 'defer', whenWaiting: 'defer' } as const;
};

const untilOf = (run: RunId, { outcome }: Admitted): Reading['until'] =>
  outcome === 'steered' ? { words: FactId.parse(run) } : { run };

/** The turn from its input on, which is known already: it was just committed. */
const freshReading = (run: RunId, parts: InputParts, { seq, at }: Admitted): [Resumption, Reading] => {
  const after = durableFrameId(seq - 1);
  const input: Event | undefined = at && { seq, run, at, body: { kind: 'input', parts }, live: null, hidden: [] };
  return [
    { ...FROM_START, after },
    { after, until: { run }, ...(input ? { known: [input] } : {}) },
  ];
};

const nothing = (): Promise<void> => Promise.resolve();
