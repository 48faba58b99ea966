import { Injectable } from '@nestjs/common';
import { type Caller } from '../caller.js';
import { Directory, type SessionPath } from '../directory.js';
import { badPageKey, PageKeys } from '../paging.js';
import { EventLog, type ListPlace } from './event-log.js';
import { eventSetting } from './map.js';
import { type AgentEvent, type ListEventsQuery } from './wire.js';

const FIRST: ListPlace = { seq: 0, sub: 0 };

/** The events of a session by its keys, in pages or one by one. */
@Injectable()
export class EventLists {
  constructor(
    private readonly directory: Directory,
    private readonly log: EventLog,
    private readonly pageKeys: PageKeys,
  ) {}

  async page(
    caller: Caller,
    path: SessionPath,
    { limit, page_key, include_hidden: includeHidden }: ListEventsQuery,
  ): Promise<{ events: AgentEvent[]; metadata: object }> {
    return await this.directory.withSession(caller, path, async (place) => {
      const filters = { session: place.session, includeHidden };
      const listing = { tenant: caller.tenant, list: 'events', filters };
      const after = placeIn(this.pageKeys.open(listing, page_key));
      const page = await this.log.list(caller, place, { after, limit, includeHidden }, eventSetting(place, path));
      const next = page.next && `${page.next.seq}.${page.next.sub}`;
      return { events: page.events, metadata: this.pageKeys.metadata(listing, next) };
    });
  }

  async get(caller: Caller, path: SessionPath, id: string): Promise<AgentEvent> {
    return await this.directory.withSession(caller, path, async (place) =>
      this.log.get(caller, place, id, eventSetting(place, path)),
    );
  }
}

const placeIn = (text: string | undefined): ListPlace => {
  if (text === undefined) return FIRST;
  const [seq, sub] = text.split('.').map(Number);
  if (seq === undefined || sub === undefined) throw badPageKey();
  return { seq, sub };
};
