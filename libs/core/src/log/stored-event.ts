import { PlatformError } from '../error.js';
import { EventBody, type EventKind } from './event.js';

/** The version in which each kind of event is written today. Raising one needs an upcaster and a stored fixture. */
export const EVENT_VERSIONS: Record<EventKind, number> = {
  input: 1,
  model_replied: 1,
  call_dispatched: 1,
  call_settled: 1,
  asked: 1,
  answered: 1,
  rewound: 1,
  model_failed: 1,
  restarted: 1,
  run_ended: 1,
};

/** Lifts a payload of one version to the next one. */
type Upcaster = (payload: Record<string, unknown>) => Record<string, unknown>;

/** By kind, then by the version that a payload has before. Events in the log are never rewritten; they are lifted when read. */
const UPCASTERS: Partial<Record<EventKind, Record<number, Upcaster>>> = {};

/** An event's body as it stands in its row: the kind and version in columns, the rest as JSON. */
export interface StoredBody {
  kind: string;
  version: number;
  payload: Record<string, unknown>;
}

/** Splits a body into what its row keeps, in today's version. */
export const toStored = ({ kind, ...payload }: EventBody): StoredBody => ({
  kind,
  version: EVENT_VERSIONS[kind],
  payload,
});

/**
 * Reads a body of any version.
 * @throws PlatformError `internal` for a kind or version that this build does not know (a newer build wrote it).
 */
export const fromStored = ({ kind, version, payload }: StoredBody, upcasters = UPCASTERS): EventBody => {
  if (!isEventKind(kind)) throw new PlatformError('internal', `the log holds an event of the unknown kind '${kind}'`);
  let lifted = payload;
  for (let from = version; from !== EVENT_VERSIONS[kind]; from++) {
    const lift = upcasters[kind]?.[from];
    if (!lift) throw new PlatformError('internal', `no way to read version ${version} of '${kind}' events`);
    lifted = lift(lifted);
  }
  return EventBody.parse({ ...lifted, kind });
};

const isEventKind = (kind: string): kind is EventKind => Object.hasOwn(EVENT_VERSIONS, kind);
