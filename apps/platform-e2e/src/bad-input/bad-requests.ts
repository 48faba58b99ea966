import { eventsOf } from '../client/vectara-client.js';
import { type SessionKeys } from '../client/wire.js';
import { type BadRequest } from './refusal.js';
import { allPaths, bodyRoutes, listPaths } from './routes.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  '',
];

/** Methods that a path does not take. */
export const wrongMethods = (there: SessionKeys): BadRequest[] =>
  Object.entries(allPaths(there)).flatMap(([path, taken]) =>
    METHODS.filter((method) => !taken.includes(method)).map((method) => ({
      what: 'a method that it does not take',
      status: 405,
      request: { method, path },
    })),
  );

/** Bodies of types that are not taken. */
export const wrongTypes = (there: SessionKeys): BadRequest[] =>
  bodyRoutes(there).flatMap(({ method, path, body }) =>
    TYPES.map((type) => ({
      what: `a body of type "${type}"`,
      status: 415,
      request: { method, path, body: JSON.stringify(body), headers: { 'content-type': type } },
    })),
  );

/** Queries of lists that say what cannot be. */
export const wrongQueries = (there: SessionKeys): BadRequest[] => {
  const bad = (path: string, query: string, field: string): BadRequest => ({
    what: query.slice(0, 60),
    status: 400,
    request: { path: `${path}?${query}` },
    field,
  });
  const limits = ['0', '-1', '101', '1000000000', '1.5', 'ten', '', '1e1', '0x10', '%00', '10%20'];
  const cursors = ['', 'x', '%00', 'AAAAAAAAAAAAAAAAAAAAAAAA', '%F0%9F%98%80', 'a'.repeat(5_000)];
  const [agents = '', sessions = '', events = ''] = listPaths(there);
  return [agents, sessions, events].flatMap((path) => [
    ...limits.map((limit) => bad(path, `limit=${limit}`, 'limit')),
    ...cursors.map((cursor) => bad(path, `page_key=${cursor}`, 'page_key')),
    bad(path, 'limit=1&limit=2', 'limit'),
    bad(path, 'limits=1', 'limits'),
    bad(path, '__proto__=1', '__proto__'),
    ...(path === events
      ? [bad(path, 'include_hidden=yes', 'include_hidden')]
      : ['(', '[', 'a{2,1}', '(?<n>a)\\k<n>', 'x'.repeat(257), '%00'].map((filter) =>
          bad(path, `filter=${filter}`, 'filter'),
        )),
    ...(path === agents ? [bad(path, 'enabled=1', 'enabled')] : []),
  ]);
};

/** Cursors of the stream of events: of no session, of another one, of one that is gone. */
export const wrongCursors = (there: SessionKeys, foreign: readonly string[]): BadRequest[] => {
  const path = eventsOf(there);
  const ids = ['aev_', 'aev_x', 'Start', 'end', '0', 'aev_AAAAAAAAAAAAAAAAAAAA', ...foreign];
  const messages = [{ type: 'text', content: 'Never.' }];
  const accept = 'text/event-stream';
  const what = (id: string): string => `the event id ${id}`;
  return ids.flatMap((id): BadRequest[] => [
    { what: what(id), status: 400, request: { method: 'POST', path, body: { messages, since: id } }, field: 'since' },
    {
      what: what(id),
      status: 400,
      request: { path, headers: { accept, 'last-event-id': id } },
      field: 'Last-Event-ID',
    },
    {
      what: what(id),
      status: 400,
      request: { path: `${path}?since=${encodeURIComponent(id)}`, headers: { accept } },
      field: 'since',
    },
    { what: what(id), status: 404, request: { path: `${path}/${encodeURIComponent(id)}` } },
  ]);
};

/** Names in paths that nothing has. */
export const wrongPaths = ({ agent, session }: SessionKeys): BadRequest[] => {
  const names = [
    'nobody',
    '%00',
    '..%2f..%2fhealth',
    '%2e%2e',
    'a b',
    '%F0%9F%98%80',
    '%ED%A0%80',
    '%E0%A4%A',
    '%',
    'x'.repeat(400),
  ];
  const isNoPath = (name: string): boolean => ['%ED%A0%80', '%E0%A4%A', '%'].includes(name);
  const bad = (name: string, path: string): BadRequest => ({
    what: 'a name that nothing has',
    status: isNoPath(name) ? 400 : 404,
    request: { path },
  });
  return [
    ...names.flatMap((name) => [
      bad(name, `/v2/agents/${name}`),
      bad(name, `/v2/agents/${name}/sessions`),
      bad(name, `/v2/agents/${agent}/sessions/${name}`),
      bad(name, `/v2/agents/${agent}/sessions/${name}/events`),
      bad(name, `/v2/agents/${agent}/sessions/${session}/events/${name}`),
    ]),
    ...['/', '/v2', '/v2/', '/v2/agents/', '/v1/agents', '/metrics', '/.env', '/v2/agents/a/b/c/d/e'].map((path) => ({
      what: 'a path that leads nowhere',
      status: 404,
      request: { path },
    })),
  ];
};

/** Time limits that are none. */
export const wrongTimeouts = (there: SessionKeys): BadRequest[] =>
  ['Request-Timeout', 'Request-Timeout-Millis'].flatMap((name) =>
    ['0', '-1', '1.5', 'soon', '1e3', '99999999999'].map((value) => ({
      what: `${name}: ${value}`,
      status: 400,
      request: { path: eventsOf(there), headers: { [name]: value } },
      field: name,
    })),
  );
