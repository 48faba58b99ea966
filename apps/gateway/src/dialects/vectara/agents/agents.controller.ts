import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { type Agent } from '@parley/core';
import { parsed, parsedBody, parsedQuery, refused } from '../../../http/body/parsed.js';
import { Asks, type Caller } from '../caller.js';
import { keyInPath } from '../key.js';
import { Agents } from './agents.js';
import { changedAgent } from './change.js';
import { toAgentView, toDefinition } from './map.js';
import {
  type AgentView,
  CreateAgentRequest,
  ListAgentsQuery,
  ReplaceAgentRequest,
  UpdateAgentRequest,
} from './wire.js';

/** `/v2/agents`. */
@Controller('v2/agents')
export class AgentsController {
  constructor(private readonly agents: Agents) {}

  @Post()
  async create(@Asks() caller: Caller, @Body() body: unknown): Promise<AgentView> {
    const request = parsedBody(CreateAgentRequest, body);
    return toAgentView(await this.agents.create(caller, request, toDefinition(request)));
  }

  @Get()
  async list(@Asks() caller: Caller, @Query() query: unknown): Promise<{ agents: AgentView[]; metadata: object }> {
    const { items, metadata } = await this.agents.list(caller, parsedQuery(ListAgentsQuery, query));
    return { agents: items.map(toAgentView), metadata };
  }

  @Get(':agent_key')
  async get(@Asks() caller: Caller, @Param('agent_key') key: string): Promise<AgentView> {
    return toAgentView(await this.agents.get(caller, keyInPath('agent', key)));
  }

  @Patch(':agent_key')
  async update(@Asks() caller: Caller, @Param('agent_key') key: string, @Body() body: unknown): Promise<AgentView> {
    const change = parsedBody(UpdateAgentRequest, body);
    const changed = await this.agents.revise(caller, keyInPath('agent', key), change, (agent: Agent) => {
      const request = parsed(CreateAgentRequest, changedAgent(toAgentView(agent), change));
      return toDefinition(request, agent.definition);
    });
    return toAgentView(changed);
  }

  @Put(':agent_key')
  async replace(@Asks() caller: Caller, @Param('agent_key') key: string, @Body() body: unknown): Promise<AgentView> {
    const request = parsedBody(ReplaceAgentRequest, body);
    if (request.key !== undefined && request.key !== key) throw refused('key', 'is not the key in the path');
    const replaced = await this.agents.revise(caller, keyInPath('agent', key), request, (agent: Agent) =>
      toDefinition(request, agent.definition),
    );
    return toAgentView(replaced);
  }

  @Delete(':agent_key')
  @HttpCode(204)
  async delete(@Asks() caller: Caller, @Param('agent_key') key: string): Promise<void> {
    await this.agents.delete(caller, key);
  }
}
