import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as everything from '@parley/contracts';
import { type z } from 'zod';
import { NATS_APPS, natsAuthorization, type NatsApp } from './nats-users.js';

type Contract = everything.Rpc | everything.EventContract<z.ZodType, never>;

const contracts = new Map<string, Contract>();
for (const [name, value] of Object.entries(everything)) {
  if (typeof value === 'object' && 'type' in value && (value.type === 'rpc' || value.type === 'event')) {
    contracts.set(name, value);
  }
}

/** What the server is told of one app. */
const permissionsOf = (app: NatsApp): { publish: string[]; subscribe: string[] } => {
  const text = natsAuthorization(() => '"secret"').split(`user: "${app}"`)[1];
  const [publish, subscribe] = [...(text ?? '').matchAll(/(?:publish|subscribe): (\[.*?\])/g)].map(
    ([, list]) => JSON.parse(list ?? '') as string[],
  );
  if (!publish || !subscribe) throw new TypeError(`nothing is said of ${app}`);
  return { publish, subscribe };
};

/** The code of an app, without what only its specs run. */
const codeOf = (app: NatsApp): string => {
  const folder = fileURLToPath(new URL(`../../../../apps/${app}/src`, import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => file.endsWith('.ts') && !/\.(spec|contract)\.ts$/.test(file));
  return own.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
};

/** The contracts that an app names in such calls. */
const named = (app: NatsApp, call: RegExp): Contract[] => {
  const names = new Set([...codeOf(app).matchAll(call)].map(([, name]) => name ?? ''));
  return [...names].map((name) => {
    const contract = contracts.get(name);
    if (!contract) throw new TypeError(`${app} calls the bus with ${name}, which is no contract`);
    return contract;
  });
};

const patternOf = (contract: Contract): string => {
  if (contract.type === 'event') return contract.pattern;
  return contract.to === undefined ? contract.subject : `${contract.subject}.*`;
};

const isCovered = (subject: string, pattern: string): boolean => {
  const [said, allowed] = [subject.split('.'), pattern.split('.')];
  return said.length === allowed.length && allowed.every((token, at) => token === '*' || token === said[at]);
};

const hearersOf = (subject: string): NatsApp[] =>
  NATS_APPS.filter((app) => permissionsOf(app).subscribe.some((pattern) => isCovered(subject, pattern)));

const FRAMES = everything.FRAMES_PATTERN;

describe('the users of NATS', () => {
  it.each(NATS_APPS)('let %s ask and tell what its code asks and tells, and nothing else', (app) => {
    const said = named(app, /bus\s*\.(?:request|publish)\(\s*(\w+)/g).map(patternOf);
    const publish = permissionsOf(app).publish.filter((pattern) => pattern !== FRAMES);
    expect(publish.toSorted()).toEqual(said.toSorted());
  });

  it.each([...contracts])('let one app alone hear %s: the one that answers it', (_, contract) => {
    const answering = /(?:@Handles\(|bus\s*\.(?:serve|subscribe)\(\s*)(\w+)/g;
    const answerers = NATS_APPS.filter((app) => named(app, answering).includes(contract));
    expect(answerers).toHaveLength(1);
    expect(hearersOf(patternOf(contract).replace('*', '7'))).toEqual(answerers);
  });

  it('let those send frames who write the log, and those hear them who show it or wait for the end of a run', () => {
    expect(hearersOf('run.a.b.frames')).toEqual(['gateway', 'session']);
    const senders = NATS_APPS.filter((app) => permissionsOf(app).publish.includes(FRAMES));
    expect(senders).toEqual(['session', 'run-executor']);
  });

  it('give each app an inbox that no other one hears', () => {
    for (const app of NATS_APPS) {
      const inboxes = permissionsOf(app).subscribe.filter((pattern) => !/^(rpc|event|run)\./.test(pattern));
      expect(inboxes).toEqual([`_INBOX_${app}.>`]);
    }
  });
});
