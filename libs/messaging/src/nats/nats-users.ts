import {
  admitRun,
  cancelRun,
  createAgent,
  createSession,
  deleteAgent,
  deleteSession,
  FRAMES_PATTERN,
  getAgent,
  getAgentVersion,
  getRunStates,
  getSession,
  listAgents,
  listDeadLetters,
  listProviders,
  listSessions,
  readLog,
  rerunDeadLetter,
  reviseAgent,
  type Rpc,
  runNudged,
  tailRun,
  updateSession,
} from '@parley/contracts';

/** What an app may say and hear on NATS. */
interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Where these are asked. */
const asking = (...contracts: readonly Rpc[]): string[] =>
  contracts.map(({ subject, to }) => (to === undefined ? subject : `${subject}.*`));

/** What each app asks and tells, and the nouns that it answers for; nothing else is let through. */
const PERMISSIONS = {
  gateway: {
    publish: [
      ...asking(createAgent, getAgent, listAgents, reviseAgent, deleteAgent, listProviders),
      ...asking(createSession, getSession, listSessions, updateSession, deleteSession, readLog),
      ...asking(admitRun, cancelRun, getRunStates, tailRun, listDeadLetters, rerunDeadLetter),
    ],
    subscribe: [FRAMES_PATTERN],
  },
  'agent-registry': { publish: [], subscribe: ['rpc.agent.*'] },
  session: {
    publish: [...asking(getAgent), runNudged.pattern, FRAMES_PATTERN],
    // It hears the frames of a run that it cancels: its end.
    subscribe: ['rpc.session.*', 'rpc.run.*', FRAMES_PATTERN],
  },
  'run-executor': {
    publish: [...asking(getAgentVersion), FRAMES_PATTERN],
    subscribe: ['rpc.provider.*', ...asking(tailRun), runNudged.pattern],
  },
} as const satisfies Record<string, Permissions>;

/** An app that talks over NATS. */
export type NatsApp = keyof typeof PERMISSIONS;

/** The apps that talk over NATS; each has a user of its name. */
export const NATS_APPS = Object.keys(PERMISSIONS) as NatsApp[];

/**
 * The `authorization` block of a NATS server's configuration: one user an app, each with an inbox of its own, so that
 * no app reads what another one was answered. @param password how an app's is written there, quoted or as `$VARIABLE`.
 */
export const natsAuthorization = (password: (app: NatsApp) => string): string => {
  const users = NATS_APPS.map((app) => {
    const { publish, subscribe } = PERMISSIONS[app];
    const hears = [...subscribe, `_INBOX_${app}.>`];
    return [
      `    { user: "${app}", password: ${password(app)}, permissions: {`,
      `      publish: ${JSON.stringify(publish)}, subscribe: ${JSON.stringify(hears)}, allow_responses: true } }`,
    ].join('\n');
  });
  return ['authorization {', '  users = [', ...users, '  ]', '}', ''].join('\n');
};
