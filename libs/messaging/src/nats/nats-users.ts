/** What an app may say and hear on NATS. */
interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

/** The apps, and what their contracts need; nothing else is let through. */
const PERMISSIONS = {
  gateway: {
    publish: ['rpc.agent.>', 'rpc.session.>', 'rpc.run.>', 'rpc.provider.>'],
    subscribe: ['run.*.*.frames'],
  },
  'agent-registry': { publish: ['rpc.provider.>'], subscribe: ['rpc.agent.>'] },
  session: {
    publish: ['rpc.agent.get', 'event.executor.*.nudged', 'run.*.*.frames'],
    subscribe: ['rpc.session.>', 'rpc.run.*'],
  },
  'run-executor': {
    publish: ['rpc.agent.get-version', 'run.*.*.frames'],
    subscribe: ['rpc.provider.>', 'rpc.run.tail.*', 'event.executor.*.nudged'],
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
