import { Injectable } from '@nestjs/common';
import { readLog, type ResponseOf } from '@parley/contracts';
import { durableFrameId, type Event, inForce, notFound, PageRoom, seqOfFrame } from '@parley/core';
import { Bus } from '@parley/messaging';
import { PartBlobs } from '@parley/persistence';
import { refused } from '../../../http/body/parsed.js';
import { type Caller } from '../caller.js';
import { type SessionPlace } from '../directory.js';
import { type Place } from '../ids.js';
import { type EventSetting, type StoredEvent, storedEvents } from './map.js';
import { type AgentEvent } from './wire.js';

/** A place in the list of a session's events: behind the event of this number and sub-number. */
export interface ListPlace {
  seq: number;
  sub: number;
}

/** What is asked of the list. */
export interface ListRequest {
  after: ListPlace;
  limit: number;
  includeHidden: boolean;
}

interface Listed extends ListPlace {
  event: AgentEvent;
}

/** Reads a session's log as Vectara events: what is in force, in the order in which it happened. */
@Injectable()
export class EventLog {
  constructor(
    private readonly bus: Bus,
    private readonly blobs: PartBlobs,
  ) {}

  /** A page, and the place where the next one begins; null on the last. */
  async list(
    caller: Caller,
    place: SessionPlace,
    request: ListRequest,
    setting: EventSetting,
  ): Promise<{ events: AgentEvent[]; next: ListPlace | null }> {
    const page: Listed[] = [];
    const room = new PageRoom();
    for await (const one of this.#events(caller, place, request, setting)) {
      const last = page.at(-1);
      const isFull = page.length === request.limit || !room.takes(one.event);
      if (last && isFull) return { events: page.map(({ event }) => event), next: last };
      page.push(one);
    }
    return { events: page.map(({ event }) => event), next: null };
  }

  /** @throws PlatformError `not_found` for an id of no event, of one of another session, and of one that was rewound. */
  async get(caller: Caller, place: SessionPlace, id: string, setting: EventSetting): Promise<AgentEvent> {
    const at = setting.ids.storedAt(id);
    if (!at || at.seq < 1) throw notFound('event', id);
    const { events, spans } = await this.#page(caller, place, Math.max(0, at.seq - 2), 2);
    const event = events.find(({ seq }) => seq === at.seq);
    const before = events.find(({ seq }) => seq === at.seq - 1) ?? null;
    const whole = event && inForce(spans, at.seq) ? await this.#whole(caller, place, event) : undefined;
    const stored = whole ? storedEvents(whole, before, setting) : [];
    const found = stored.find(({ sub }) => sub === at.sub);
    if (!found) throw notFound('event', id);
    return found.event;
  }

  /**
   * Makes sure that a cursor is one of this session's history.
   * @throws PlatformError `invalid_input`, naming the field.
   */
  async check(caller: Caller, place: SessionPlace, cursor: Place, field: string): Promise<void> {
    const seq = seqOfFrame(cursor.frame);
    const known = seq > 0 && cursor.frame > 0 ? await this.#page(caller, place, seq - 1, 1) : undefined;
    if (!known?.events.some((event) => durableFrameId(event.seq) <= cursor.frame)) {
      throw refused(field, 'is not the id of an event of this session');
    }
  }

  async *#events(
    caller: Caller,
    place: SessionPlace,
    { after, limit, includeHidden }: ListRequest,
    setting: EventSetting,
  ): AsyncGenerator<Listed> {
    let before: Event | null = null;
    let from = Math.max(0, after.seq - 2);
    for (let more = true; more;) {
      const page = await this.#page(caller, place, from, limit + 2);
      for (const event of page.events) {
        const whole = event.seq < after.seq ? event : await this.#whole(caller, place, event);
        const stored: StoredEvent[] = inForce(page.spans, event.seq) ? storedEvents(whole, before, setting) : [];
        before = event;
        for (const { sub, hidden, event: one } of stored) {
          const isNew = event.seq > after.seq || (event.seq === after.seq && sub > after.sub);
          if (isNew && (includeHidden || !hidden)) yield { seq: event.seq, sub, event: one };
        }
      }
      more = page.more;
      from = page.events.at(-1)?.seq ?? from;
    }
  }

  #whole({ tenant }: Caller, { session }: SessionPlace, event: Event): Promise<Event> {
    return this.blobs.fetchEvent({ tenant, session }, event);
  }

  async #page(
    { tenant, options }: Caller,
    { session }: SessionPlace,
    after: number,
    limit: number,
  ): Promise<ResponseOf<typeof readLog>> {
    return await this.bus.request(readLog, { tenant, session, after, limit }, options);
  }
}
