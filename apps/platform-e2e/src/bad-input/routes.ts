import { type SessionKeys } from '../client/wire.js';
import { eventsOf } from '../client/vectara-client.js';

/** A route that takes a body, with one that it would take. */
export interface BodyRoute {
  method: string;
  path: string;
  /** Every field that has an effect or is kept, so that each can be made wrong. */
  body: object;
  /** Bytes that a body may have. */
  limit: number;
}

const MIB = 2 ** 20;

const changedAgent = {
  name: 'Never',
  description: 'is never made',
  tool_configurations: {},
  skills: {},
  model: { name: 'simulator/sim-5-0', parameters: { temperature: 0.5 } },
  first_step_name: 'talk',
  steps: {
    talk: {
      instructions: [
        { type: 'inline', name: 'talk', template: 'Answer.', template_type: 'text', metadata: { a: ['b'] } },
      ],
      output_parser: { type: 'default' },
    },
  },
  metadata: { team: { name: 'blue' } },
  enabled: true,
};
const changedSession = { name: 'Never', description: 'is never made', metadata: { a: { b: ['c'] } }, enabled: true };
const input = {
  type: 'input_message',
  messages: [{ type: 'text', content: 'Never.' }],
  since: 'start',
  behavior: 'follow_up',
  stream_response: false,
};

/** All routes that take a body, on a session that is there. */
export const bodyRoutes = (there: SessionKeys): BodyRoute[] => {
  const ofAgent = `/v2/agents/${there.agent}`;
  return [
    { method: 'POST', path: '/v2/agents', body: { key: 'never', ...changedAgent }, limit: MIB },
    { method: 'PUT', path: ofAgent, body: changedAgent, limit: MIB },
    { method: 'PATCH', path: ofAgent, body: changedAgent, limit: MIB },
    { method: 'POST', path: `${ofAgent}/sessions`, body: { key: 'never', ...changedSession }, limit: MIB },
    { method: 'PATCH', path: `${ofAgent}/sessions/${there.session}`, body: changedSession, limit: MIB },
    { method: 'POST', path: eventsOf(there), body: input, limit: 16 * MIB },
  ];
};

/** All paths with the methods that they take. */
export const allPaths = (there: SessionKeys): Record<string, string[]> => ({
  '/health/live': ['GET', 'HEAD'],
  '/health/ready': ['GET', 'HEAD'],
  '/parley/v1/providers': ['GET', 'HEAD'],
  '/v2/agents': ['GET', 'HEAD', 'POST'],
  [`/v2/agents/${there.agent}`]: ['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'],
  [`/v2/agents/${there.agent}/sessions`]: ['GET', 'HEAD', 'POST'],
  [`/v2/agents/${there.agent}/sessions/${there.session}`]: ['GET', 'HEAD', 'PATCH', 'DELETE'],
  [eventsOf(there)]: ['GET', 'HEAD', 'POST'],
  [`${eventsOf(there)}/aev_x`]: ['GET', 'HEAD'],
});

/** The lists. */
export const listPaths = (there: SessionKeys): string[] => [
  '/v2/agents',
  `/v2/agents/${there.agent}/sessions`,
  eventsOf(there),
];
