import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { departureOf } from '../../../http/door/departure.js';
import { MAX_EVENTS_BODY } from '../../../http/http-server.js';
import { parsedBody, parsedQuery } from '../../../http/body/parsed.js';
import { Asks, type Caller } from '../caller.js';
import { type SessionPath } from '../directory.js';
import { Answers, streamNothing } from './answers.js';
import { EventLists } from './event-lists.js';
import { Turns, type Cursor } from './turns.js';
import { type AgentEvent, CreateInputRequest, ListEventsQuery, StreamEventsQuery } from './wire.js';

const NEVER = new AbortController().signal;

/** `/v2/agents/{agent_key}/sessions/{session_key}/events`. */
@Controller('v2/agents/:agent_key/sessions/:session_key/events')
export class EventsController {
  constructor(
    private readonly turns: Turns,
    private readonly answers: Answers,
    private readonly lists: EventLists,
  ) {}

  @Post()
  @RouteConfig({ maxBody: MAX_EVENTS_BODY })
  async create(
    @Asks() caller: Caller,
    @Param() params: Params,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const request = parsedBody(CreateInputRequest, body);
    const timeLimit = timeLimitOf(caller);
    const waiting = { caller, path: pathOf(params), signal: AbortSignal.any([departureOf(reply), timeLimit]) };
    const turn =
      request.type === 'interrupt' ? await this.turns.interrupt(waiting) : await this.turns.say(waiting, request);
    void reply.code(201);
    if (!turn && request.stream_response) streamNothing(reply);
    else if (!turn) void reply.send({ events: [], session_key: params.session_key });
    else if (request.stream_response) await this.answers.streamed(turn, reply, timeLimit);
    else void reply.send(await this.answers.collected(turn, timeLimit));
  }

  /** The list; with `Accept: text/event-stream` the same events and all that follow, as a stream. */
  @Get()
  async list(
    @Asks() caller: Caller,
    @Req() request: FastifyRequest<{ Params: Params }>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { params, query, headers } = request;
    if (request.method !== 'GET' || !/\btext\/event-stream\b/.test(headers.accept ?? '')) {
      void reply.send(await this.lists.page(caller, pathOf(params), parsedQuery(ListEventsQuery, query)));
      return;
    }
    const { since } = parsedQuery(StreamEventsQuery, query);
    const timeLimit = timeLimitOf(caller);
    const waiting = { caller, path: pathOf(params), signal: AbortSignal.any([departureOf(reply), timeLimit]) };
    const turn = await this.turns.listen(waiting, cursorOf(headers['last-event-id'], since));
    await this.answers.streamed(turn, reply, timeLimit);
  }

  @Get(':event_id')
  async get(@Asks() caller: Caller, @Param() params: Params & { event_id: string }): Promise<AgentEvent> {
    return await this.lists.get(caller, pathOf(params), params.event_id);
  }
}

interface Params {
  agent_key: string;
  session_key: string;
}

const pathOf = ({ agent_key, session_key }: Params): SessionPath => ({ agentKey: agent_key, sessionKey: session_key });

/** What a client that comes back has had last counts for more than where its first request began. */
const cursorOf = (lastEventId: string | string[] | undefined, since: string | undefined): Cursor | undefined => {
  if (typeof lastEventId === 'string' && lastEventId !== '') return { field: 'Last-Event-ID', id: lastEventId };
  return since === undefined ? undefined : { field: 'since', id: since };
};

const timeLimitOf = ({ options: { deadline } }: Caller): AbortSignal =>
  deadline ? AbortSignal.timeout(Math.max(0, deadline.getTime() - Date.now())) : NEVER;
