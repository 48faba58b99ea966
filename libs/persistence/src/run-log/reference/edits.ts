import {
  erased,
  FactId,
  hasOpenCall,
  partsOf,
  type CallId,
  type Event,
  type EventBody,
  type Head,
  type Part,
} from '@parley/core';
import { type Edited, type PartEdit } from '../run-log.js';
import { putFact } from './inbox.js';
import { activeRun, type SessionRow, type Tables } from './tables.js';

export const hide = (tables: Tables, edit: PartEdit): Edited =>
  editParts(tables, edit, (event, part) => ({ ...event, hidden: ordered([...event.hidden, part]) }));

export const unhide = (tables: Tables, edit: PartEdit): Edited =>
  editParts(tables, edit, (event, part) => ({ ...event, hidden: event.hidden.filter((other) => other !== part) }));

/** The words of a run's own input stand on its row too, and go with those in the log. */
export const erase = (tables: Tables, edit: PartEdit): Edited => {
  const edited = editParts(tables, edit, (event, part) => ({
    ...event,
    body: withoutContent(event.body, part),
    live: event.live && { ...event.live, cuts: event.live.cuts.filter(([, cut]) => cut !== part) },
  }));
  const session = tables.session(edit);
  if (edited !== 'edited' || session === undefined) return edited;
  for (const { seq, part } of withPartners(session, edit.parts)) {
    const run = session.runs.find(({ firstSeq }) => firstSeq === seq);
    if (run) run.parts = withoutContentAt(run.parts, part);
  }
  return edited;
};

/** Acts at once, whoever holds the run; a holder is told, since what it remembers is out of date. */
const editParts = (tables: Tables, edit: PartEdit, change: (event: Event, part: number) => Event): Edited => {
  const now = tables.clock();
  const session = tables.session(edit);
  if (session === undefined || edit.parts.some((address) => !exists(session, address))) return 'not_found';
  const parts = withPartners(session, edit.parts);
  if (parts.some((address) => isOpen(session.head, session.log[address.seq - 1]?.body, address.part))) {
    return 'open_call';
  }
  for (const { seq, part } of parts) {
    const event = session.log[seq - 1];
    if (event) session.log[seq - 1] = change(event, part);
  }
  session.edits += 1;
  const run = activeRun(session);
  if (run?.state === 'running') {
    putFact(session, run, {
      fact: { id: FactId.parse(tables.random()), run: run.id, body: { kind: 'patch' } },
      at: now,
    });
  }
  return 'edited';
};

/** A call and its result go together: what was asked for, the call of each result, and all of each call's result. */
const withPartners = ({ log }: SessionRow, asked: PartEdit['parts']): PartEdit['parts'] => {
  const calls = new Set(asked.flatMap(({ seq, part }) => callOf(log[seq - 1]?.body, part)));
  const partners = log.flatMap(({ seq, body }) => {
    const parts = Array.from({ length: Math.max(1, partsOf(body).length) }, (_, part) => ({ seq, part }));
    return parts.filter(({ part }) => callOf(body, part).some((call) => calls.has(call)));
  });
  const others = asked.filter(({ seq, part }) => !partners.some((one) => one.seq === seq && one.part === part));
  return [...others, ...partners];
};

/** The call that a part is, or is the result of. */
const callOf = (body: EventBody | undefined, index: number): CallId[] => {
  if (body?.kind === 'call_settled') return [body.call];
  const part = body?.kind === 'model_replied' ? body.parts[index] : undefined;
  return part?.type === 'call' ? [part.id] : [];
};

/** Part 0 of an event stands for it as a whole, whether it has parts or not. */
const exists = ({ log }: SessionRow, { seq, part }: { seq: number; part: number }): boolean => {
  const event = log[seq - 1];
  return event !== undefined && part >= 0 && part < Math.max(1, partsOf(event.body).length);
};

/** A call group in which a call waits for its result cannot be touched: its shape is about to be sent to a model. */
const isOpen = (head: Head, body: EventBody | undefined, index: number): boolean => {
  if (!hasOpenCall(head)) return false;
  if (body && 'call' in body && body.call !== null && body.call in head.calls) return true;
  const part = body && partsOf(body)[index];
  return part?.type === 'call' && part.id in head.calls;
};

const withoutContent = (body: EventBody, part: number): EventBody => {
  switch (body.kind) {
    case 'input':
      return { ...body, parts: withoutContentAt(body.parts, part) };
    case 'model_replied':
      return { ...body, parts: withoutContentAt(body.parts, part) };
    case 'call_settled':
      return { ...body, parts: withoutContentAt(body.parts, part) };
    case 'answered':
      return { ...body, parts: withoutContentAt(body.parts, part) };
    case 'model_failed':
      return body.parts ? { ...body, parts: withoutContentAt(body.parts, part) } : body;
    case 'call_dispatched':
    case 'asked':
    case 'rewound':
    case 'restarted':
    case 'run_ended':
      return body;
  }
};

const withoutContentAt = <P extends Part>(parts: P[], index: number): P[] =>
  parts.map((part, at) => (at === index ? erased(part) : part));

const ordered = (numbers: number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
