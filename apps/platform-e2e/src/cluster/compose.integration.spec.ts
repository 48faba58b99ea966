import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repository } from '../config.js';
import { Cluster, type ClusterPart } from './cluster.js';

interface ComposeService {
  image?: string;
  build?: { target: string };
  command?: string[];
  environment?: Record<string, string>;
  deploy?: { replicas: number };
  ports?: string[];
  healthcheck?: { test: string[] };
}

const textOf = (name: string): string => readFileSync(join(repository, name), 'utf8');
const compose = parse(textOf('docker-compose.yml'), { merge: true }) as { services: Record<string, ComposeService> };
const APPS = ['model-simulator', 'agent-registry', 'session', 'run-executor', 'gateway'] as const;

/** What any process has, and what only a machine of its own needs. */
const ELSEWHERE = new Set(['PATH', 'HOME', 'HOST', 'OPENAI_API_KEY']);

const composed = (name: string): ComposeService => {
  const service = compose.services[name];
  if (!service) throw new Error(`docker-compose.yml has no ${name}`);
  return service;
};

describe('docker-compose.yml, beside what dev:cluster starts', () => {
  let cluster: Cluster;
  const pids = new Map<ClusterPart, number[]>();

  beforeAll(async () => {
    cluster = await Cluster.start();
    for (const { service, pid } of await cluster.places()) pids.set(service, [...(pids.get(service) ?? []), pid]);
  }, 180_000);
  afterAll(() => cluster.stop());

  const pidOf = (app: ClusterPart): number => pids.get(app)?.[0] ?? 0;
  const environmentOf = (app: ClusterPart): string[] =>
    readFileSync(`/proc/${pidOf(app)}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((entry) => entry.slice(0, entry.indexOf('=')));
  const commandOf = (app: ClusterPart): string[] => readFileSync(`/proc/${pidOf(app)}/cmdline`, 'utf8').split('\0');

  it('has the same apps, and as many of each', () => {
    const replicas = APPS.map((app) => [app, composed(app).deploy?.replicas ?? 1]);
    expect(replicas).toEqual(APPS.map((app) => [app, pids.get(app)?.length]));
  });

  it.each(APPS)('tells %s the same settings', (app) => {
    const there = Object.keys(composed(app).environment ?? {}).filter((name) => !ELSEWHERE.has(name));
    const here = environmentOf(app).filter((name) => !ELSEWHERE.has(name));
    expect(there.sort()).toEqual([...new Set(here)].sort());
  });

  it.each(APPS)('runs %s by the same file, in an image of its own', (app) => {
    const main = commandOf(app).find((word) => word.endsWith('dist/main.js'));
    expect(main).toBe(join(repository, composed(app).command?.at(-1) ?? ''));
    expect(composed(app).build?.target).toBe(app);
    expect(textOf('Dockerfile')).toContain(
      `AS ${app}\nCMD ${JSON.stringify(composed(app).command).replaceAll(',', ', ')}`,
    );
  });

  it.each(APPS)('asks %s whether it is ready where it says so', async (app) => {
    const [place] = await cluster.places(app);
    const url = new URL(composed(app).healthcheck?.test.at(-1) ?? '');
    const { PORT, HEALTH_PORT } = composed(app).environment ?? {};
    expect(url.port).toBe(HEALTH_PORT ?? PORT);
    expect((await fetch(`${place?.url}${url.pathname}`)).status).toBe(200);
  });

  it('opens the port of the gateway to this machine alone', () => {
    expect(composed('gateway').ports).toEqual([`127.0.0.1:8283:${composed('gateway').environment?.['PORT']}`]);
    for (const app of APPS.filter((name) => name !== 'gateway')) expect(composed(app).ports).toBeUndefined();
  });

  it('gives the apps the same rights on NATS and Redis', () => {
    const { passwords } = JSON.parse(textAt('secrets.json')) as { passwords: Record<string, string> };
    const users = textAt('nats.conf').replace(/^host.*\n|^port.*\n/gm, '');
    const named = Object.entries(passwords).reduce((text, [app, password]) => {
      return text.replace(JSON.stringify(password), `$${variableOf(app)}`);
    }, users);
    expect(textOf('docker/nats.conf').replace(/^#.*\n/gm, '')).toBe(named);
    const redisUsers = textAt('redis.conf')
      .split('\n')
      .filter((line) => line.startsWith('user '));
    expect(usersOfRedisScript(passwords)).toEqual(redisUsers);
  });

  it('pins every image, and asks for every secret that its example names', () => {
    const images = Object.values(compose.services).flatMap(({ image }) => image ?? []);
    expect(images).toHaveLength(3);
    for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+(\.\d+)?-[a-z]+$/);
    const asked = [...textOf('docker-compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    const named = [...textOf('.env.compose.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
    expect([...new Set(asked)].sort()).toEqual([...named].sort());
  });

  const textAt = (name: string): string => readFileSync(join(cluster.folder.path, 'cluster', name), 'utf8');
});

const variableOf = (app: string): string => `${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

/** What the script hands to Redis, which a program of its name stands for here. */
const usersOfRedisScript = (passwords: Record<string, string>): string[] => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-compose-'));
  try {
    writeFileSync(join(folder, 'redis-server'), '#!/bin/sh\n');
    chmodSync(join(folder, 'redis-server'), 0o755);
    const file = join(folder, 'users.acl');
    const named = Object.fromEntries(Object.entries(passwords).map(([app, password]) => [variableOf(app), password]));
    const env = { ...named, PATH: `${folder}:/usr/bin:/bin`, USERS_FILE: file };
    execFileSync('sh', [join(repository, 'docker/redis.sh')], { env });
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
