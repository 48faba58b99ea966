import {
  FailureReason,
  type BodyOf,
  type CallId,
  type Event,
  type ImageSource,
  type Json,
  type JsonObject,
  type Part,
} from '@parley/core';
import { type SessionPath, type SessionPlace } from '../directory.js';
import { EventIds } from '../ids.js';
import { type AgentEvent } from './wire.js';

/** Places of the Vectara events that come of one part of a core event, in the order in which they are shown. */
const SUB = { chunk: 0, end: 1, stored: 2 } as const;
const SUBS = 3;

/** The place of what comes of a part. */
export const subOf = (part: number, kind: keyof typeof SUB): number => part * SUBS + SUB[kind];

/** What the events of a session are told with. */
export interface EventSetting {
  sessionKey: string;
  ids: EventIds;
  /** Names of the tools that calls were made of, as far as they went by. */
  tools: Map<CallId, string>;
}

/** The setting of one session, for one request. */
export const eventSetting = (
  { session }: Pick<SessionPlace, 'session'>,
  { sessionKey }: SessionPath,
): EventSetting => ({
  sessionKey,
  ids: new EventIds(session),
  tools: new Map(),
});

/** A Vectara event that is stored, with its place. */
export interface StoredEvent {
  sub: number;
  hidden: boolean;
  event: AgentEvent;
}

/**
 * The Vectara events that a core event holds: none, or one for each part that is still there. `before`: the event in the
 * log before it, where it is known; it says why a run failed.
 */
export const storedEvents = (event: Event, before: Event | null, setting: EventSetting): StoredEvent[] => {
  const { body, hidden } = event;
  const at = (part: number, made: object): StoredEvent => {
    const sub = subOf(part, 'stored');
    const base = { id: setting.ids.ofStored(event.seq, sub), session_key: setting.sessionKey };
    const whole = { ...base, created_at: event.at.toISOString(), ...made } as AgentEvent;
    return { sub, hidden: hidden.includes(part), event: whole };
  };
  switch (body.kind) {
    case 'input':
      return inputMessage(body, hidden, at);
    case 'model_replied':
      return body.parts.flatMap((part, index) => {
        const made = replyPart(part, body.output, setting);
        return made ? [at(index, made)] : [];
      });
    case 'call_settled':
      return [at(0, toolOutput(body, setting))];
    case 'run_ended': {
      const made = ending(body, before);
      return made ? [at(0, made)] : [];
    }
    case 'call_dispatched':
    case 'asked':
    case 'answered':
    case 'rewound':
    case 'model_failed':
    case 'restarted':
      return [];
  }
};

type At = (part: number, made: object) => StoredEvent;

/** All parts of an input are one event, hidden when all of it is. */
const inputMessage = ({ parts }: BodyOf<'input'>, hidden: number[], at: At): StoredEvent[] => {
  const left = parts.flatMap((part, index) => {
    const text = part.type === 'image' ? standIn(part.source) : part.text;
    return text === null ? [] : [{ index, text }];
  });
  if (left.length === 0) return [];
  const messages = left.map(({ text }) => ({ type: 'text', content: text }));
  return [{ ...at(0, { type: 'input_message', messages }), hidden: left.every(({ index }) => hidden.includes(index)) }];
};

const replyPart = (part: Part, output: string | undefined, { tools }: EventSetting): object | undefined => {
  switch (part.type) {
    case 'reasoning':
      return part.text ? { type: 'thinking', content: part.text } : undefined;
    case 'text':
      if (!part.text) return undefined;
      return output === undefined
        ? { type: 'agent_output', content: part.text }
        : { type: 'structured_output', schema_name: output, content: JSON.parse(part.text) as Json };
    case 'image': {
      const content = standIn(part.source);
      return content === null ? undefined : { type: 'agent_output', content };
    }
    case 'call':
      tools.set(part.id, part.name);
      if (part.arguments === null) return undefined;
      return { type: 'tool_input', ...toolUse(part.id, part.name), tool_input: objectOf(part.arguments) };
  }
};

/** This API has words alone in messages; null: the image was erased. */
const standIn = (source: ImageSource | null): string | null => {
  switch (source?.kind) {
    case 'url':
      return `![image](${source.url})`;
    case 'base64':
      return `[image: ${source.mediaType}, ${Buffer.byteLength(source.data, 'base64')} bytes]`;
    case 'not_kept':
      return `[image, not kept: ${source.reason}]`;
    case undefined:
      return null;
  }
};

const toolOutput = ({ call, outcome, parts }: BodyOf<'call_settled'>, { tools }: EventSetting): object => ({
  type: 'tool_output',
  ...toolUse(call, tools.get(call) ?? ''),
  tool_output: objectOf(parts.map(({ text }) => text ?? '').join('')),
  error: outcome !== 'result',
});

const toolUse = (call: CallId, name: string) => ({
  tool_call_id: call,
  tool_configuration_name: name,
  tool_name: name,
});

/** JSON text as an object; what is none stands under `content`. */
const objectOf = (text: string): JsonObject => {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : { content: value as JsonObject };
  } catch {
    return { content: text };
  }
};

const FAILED = 'The turn failed.';

const FAILURES: Record<FailureReason, string> = {
  rounds_exceeded: 'The turn reached its limit of model calls.',
  tokens_exceeded: 'The turn reached its limit of tokens.',
  cost_exceeded: 'The turn reached its limit of costs.',
  price_unknown: 'The costs of the turn are limited, and the price of its model is not known.',
  model_failed: 'The model did not answer.',
  invalid_output: 'The answer was not of the form that it has to be, and was not when it was made again.',
  poison: 'The turn was stopped, because the process that acted it kept failing.',
  internal: FAILED,
};

const ending = ({ state, reason }: BodyOf<'run_ended'>, before: Event | null): object | undefined => {
  switch (state) {
    case 'succeeded':
      return undefined;
    case 'cancelled':
      return { type: 'session_interrupted' };
    case 'timed_out':
      return { type: 'error', messages: ['The turn took longer than it may and was stopped.'] };
    case 'failed': {
      const cause = before?.body.kind === 'model_failed' ? [before.body.message] : [];
      return { type: 'error', messages: [failureOf(reason), ...cause] };
    }
  }
};

/** A reason may go on behind a colon; a newer build may give one that this one does not know. */
const failureOf = (reason: string | null): string => {
  const known = FailureReason.safeParse(reason?.split(':')[0]);
  return known.success ? FAILURES[known.data] : FAILED;
};
