import { Injectable, Logger } from '@nestjs/common';
import { type Event, PlatformError } from '@parley/core';
import { type FastifyReply } from 'fastify';
import { SseWriter } from '../../../http/sse-writer.js';
import { messagesOf } from '../errors.js';
import { showFrame, type Shown, type StreamState } from '../frames.js';
import { type EventSetting, storedEvents } from './map.js';
import { type Turn } from './turns.js';
import { type AgentEvent, type AgentResponse, type StreamedEvent } from './wire.js';

/** Answers with a turn: all of it when it has ended, or frame by frame while it is made. */
@Injectable()
export class Answers {
  readonly #logger = new Logger(Answers.name);

  /**
   * The stored events of a turn, once it has ended.
   * @throws PlatformError `timeout` when the time of the request is up, `model_failed` when no model answered.
   */
  async collected(turn: Turn, timeLimit: AbortSignal): Promise<AgentResponse> {
    const { stream, setting } = turn;
    const events: AgentEvent[] = [];
    let before: Event | null = null;
    for await (const frames of stream.read(turn.reading)) {
      before ??= stream.before;
      for (const frame of frames) {
        if (frame.kind === 'delta') continue;
        const after = frame.id === turn.resumption.skip?.frame ? turn.resumption.skip.sub : -1;
        for (const { sub, event } of storedEvents(frame.event, before, setting)) if (sub > after) events.push(event);
        before = frame.event;
      }
    }
    if (timeLimit.aborted) throw await timeIsUp(turn);
    if (stream.end?.why === 'cut') throw new PlatformError('unavailable', 'the turn could not be read to its end');
    const end = stream.end?.why === 'ended' ? stream.end : undefined;
    if (end?.state === 'failed' && end.reason === 'model_failed') throw modelFailed(events);
    return { events, session_key: setting.sessionKey };
  }

  /** Streams a turn, from the head of the response to its `end`; never throws. A client that leaves stops nothing. */
  async streamed(turn: Turn, reply: FastifyReply, timeLimit: AbortSignal): Promise<void> {
    const writer = new SseWriter(reply, reply.statusCode);
    const sent = new Sent(turn);
    try {
      for await (const shown of shownIn(turn)) {
        writer.write(shown.map((one) => sent.frame(one)).join(''));
        await writer.drained();
      }
      if (timeLimit.aborted) throw await timeIsUp(turn);
    } catch (thrown) {
      writer.write(sent.error(this.#told(thrown, reply)));
    }
    if (turn.stream.end?.why === 'cut') writer.cut();
    else {
      writer.write(dataOf({ type: 'end' }));
      writer.end();
    }
  }

  #told(thrown: unknown, { request }: FastifyReply): PlatformError {
    const error = PlatformError.from(thrown);
    const isOurFault = error.code === 'internal' || error.code === 'unavailable';
    if (isOurFault) this.#logger.error({ request: request.id, err: thrown }, 'a stream broke off');
    return error;
  }
}

/** A stream that shows nothing but its end. */
export const streamNothing = (reply: FastifyReply): void => {
  const writer = new SseWriter(reply, reply.statusCode);
  writer.write(dataOf({ type: 'end' }));
  writer.end();
};

async function* shownIn({ stream, reading, resumption, setting }: Turn): AsyncGenerator<Shown[]> {
  const { skip } = resumption;
  let state: StreamState = { amid: resumption.amid, before: null };
  for await (const frames of stream.read(reading)) {
    state.before ??= stream.before;
    const all: Shown[] = [];
    for (const frame of frames) {
      const { shown, state: next } = showFrame(frame, state, setting);
      state = next;
      for (const one of shown) if (frame.id !== skip?.frame || one.place.sub > skip.sub) all.push(one);
    }
    yield all;
  }
}

/** Writes frames, and knows the last id that was written. */
class Sent {
  #last: string;
  readonly #setting: EventSetting;

  constructor({ setting, resumption }: Turn) {
    this.#setting = setting;
    this.#last = setting.ids.of({ frame: resumption.after, sub: 0, amid: resumption.amid });
  }

  frame({ place, event }: Shown): string {
    this.#last = this.#setting.ids.of(place);
    return `id: ${this.#last}\n${dataOf(event)}`;
  }

  /** Of the stream, not of the session: it is not stored, and moves no cursor. */
  error(error: PlatformError): string {
    const base = { id: this.#last, session_key: this.#setting.sessionKey, created_at: new Date().toISOString() };
    return dataOf({ type: 'error', messages: messagesOf(error), ...base });
  }
}

const dataOf = (event: StreamedEvent): string => `data: ${JSON.stringify(event)}\n\n`;

const timeIsUp = async (turn: Turn): Promise<PlatformError> => {
  await turn.abandon();
  const issues = [{ path: 'Request-Timeout', message: 'the turn took longer than that, and was stopped' }];
  return new PlatformError('timeout', 'the time of the request is up', { issues });
};

const modelFailed = (events: AgentEvent[]): PlatformError => {
  const told = events.findLast((event) => event.type === 'error');
  return new PlatformError('model_failed', told?.messages.join(' ') ?? 'the model did not answer');
};
