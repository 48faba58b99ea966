import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { parsedBody, parsedQuery } from '../../../http/body/parsed.js';
import { Asks, type Caller } from '../caller.js';
import { toSessionView } from './map.js';
import { Sessions } from './sessions.js';
import { CreateSessionRequest, ListSessionsQuery, type SessionView, UpdateSessionRequest } from './wire.js';

/** `/v2/agents/{agent_key}/sessions`. */
@Controller('v2/agents/:agent_key/sessions')
export class SessionsController {
  constructor(private readonly sessions: Sessions) {}

  @Post()
  async create(
    @Asks() caller: Caller,
    @Param('agent_key') agentKey: string,
    @Body() body: unknown,
  ): Promise<SessionView> {
    const session = await this.sessions.create(caller, agentKey, parsedBody(CreateSessionRequest, body));
    return toSessionView(session, agentKey);
  }

  @Get()
  async list(
    @Asks() caller: Caller,
    @Param('agent_key') agentKey: string,
    @Query() query: unknown,
  ): Promise<{ sessions: SessionView[]; metadata: object }> {
    const page = await this.sessions.list(caller, agentKey, parsedQuery(ListSessionsQuery, query));
    return { sessions: page.items.map((session) => toSessionView(session, agentKey)), metadata: page.metadata };
  }

  @Get(':session_key')
  async get(
    @Asks() caller: Caller,
    @Param('agent_key') agentKey: string,
    @Param('session_key') sessionKey: string,
  ): Promise<SessionView> {
    return toSessionView(await this.sessions.get(caller, { agentKey, sessionKey }), agentKey);
  }

  @Patch(':session_key')
  async update(
    @Asks() caller: Caller,
    @Param('agent_key') agentKey: string,
    @Param('session_key') sessionKey: string,
    @Body() body: unknown,
  ): Promise<SessionView> {
    const change = parsedBody(UpdateSessionRequest, body);
    return toSessionView(await this.sessions.update(caller, { agentKey, sessionKey }, change), agentKey);
  }

  @Delete(':session_key')
  @HttpCode(204)
  async delete(
    @Asks() caller: Caller,
    @Param('agent_key') agentKey: string,
    @Param('session_key') sessionKey: string,
  ): Promise<void> {
    await this.sessions.delete(caller, { agentKey, sessionKey });
  }
}
