import { Injectable } from '@nestjs/common';
import { createAgent, deleteAgent, getAgent, listAgents, reviseAgent } from '@parley/contracts';
import {
  type Agent,
  type AgentDefinition,
  AgentId,
  type ErrorCode,
  type Key,
  newId,
  notFound,
  PlatformError,
} from '@parley/core';
import { Bus } from '@parley/messaging';
import { type z } from 'zod';
import { refuseBadPattern } from '../../../http/body/pattern.js';
import { type Caller } from '../caller.js';
import { Directory } from '../directory.js';
import { keyFrom } from '../key.js';
import { PageKeys } from '../paging.js';
import { type Said, toldByField } from './told-by-field.js';
import { type CreateAgentRequest, type ListAgentsQuery } from './wire.js';

/** How often a change is computed anew because somebody else changed the agent meanwhile: each time one of them is through. */
const ATTEMPTS = 20;
/** How often another key is made up for an agent that came without one. */
const KEY_ATTEMPTS = 5;

/** Agents by their keys, on the bus. */
@Injectable()
export class Agents {
  constructor(
    private readonly bus: Bus,
    private readonly directory: Directory,
    private readonly pageKeys: PageKeys,
  ) {}

  /** Without a key one is made from the name. `said`: the request that the definition was made from. */
  async create({ tenant, options }: Caller, said: CreateAgentRequest, definition: AgentDefinition): Promise<Agent> {
    const { key } = said;
    const id = newId(AgentId);
    for (let attempt = 1; ; attempt++) {
      const request = { tenant, id, key: key ?? keyFrom('agt', definition.name), definition };
      try {
        return await this.bus.request(createAgent, request, options);
      } catch (error) {
        if (key === undefined && is(error, 'conflict') && attempt < KEY_ATTEMPTS) continue;
        throw toldByField(error, said, definition);
      }
    }
  }

  async get({ tenant, options }: Caller, key: Key): Promise<Agent> {
    return await named(key, this.bus.request(getAgent, { tenant, agent: { key } }, options));
  }

  /**
   * Makes the next version from the newest; computes it anew if that was not the newest any more. `said`: the request
   * that asks for the change.
   */
  async revise(caller: Caller, key: Key, said: Said, change: (agent: Agent) => AgentDefinition): Promise<Agent> {
    for (let attempt = 1; ; attempt++) {
      const agent = await this.get(caller, key);
      const { agent: id, version: expected } = agent;
      const definition = change(agent);
      const request = { tenant: caller.tenant, id, expected, definition };
      try {
        return await named(key, this.bus.request(reviseAgent, request, caller.options));
      } catch (error) {
        if (!is(error, 'conflict')) throw toldByField(error, said, definition);
        if (attempt === ATTEMPTS)
          throw new PlatformError('conflict', `agent '${key}' was changed meanwhile: try again`);
      }
    }
  }

  async delete(caller: Caller, key: string): Promise<void> {
    const { tenant, options } = caller;
    try {
      await this.directory.withAgent(caller, key, (id) => this.bus.request(deleteAgent, { tenant, id }, options));
    } catch (error) {
      if (!is(error, 'illegal_state')) throw error;
      throw new PlatformError('illegal_state', `agent '${key}' still has sessions: delete them first`);
    }
  }

  async list(
    { tenant, options }: Caller,
    { filter, enabled, limit, page_key }: z.output<typeof ListAgentsQuery>,
  ): Promise<{ items: Agent[]; metadata: object }> {
    if (filter !== undefined) refuseBadPattern('filter', filter);
    const listing = { tenant, list: 'agents', filters: { filter, enabled } };
    const after = this.pageKeys.open(listing, page_key);
    const page = await this.bus.request(listAgents, { tenant, pattern: filter, enabled, limit, after }, options);
    return { items: page.items, metadata: this.pageKeys.metadata(listing, page.next) };
  }
}

const is = (error: unknown, code: ErrorCode): boolean => error instanceof PlatformError && error.code === code;

/** An agent that is missing is missing under the key that was asked for. */
const named = async (key: Key, found: Promise<Agent>): Promise<Agent> => {
  try {
    return await found;
  } catch (error) {
    throw is(error, 'not_found') ? notFound('agent', key) : error;
  }
};
