import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { AgentId, TenantId } from '@parley/core';
import { PostgresRunLog } from '@parley/persistence';
import { z } from 'zod';
import { World } from '../loop/world.contract.js';
import { fatalWords } from './fatal-words.contract.js';
import { wordsProgram } from './words-program.contract.js';

/** What the process is told: which database, whose runs, and where the children put their ids. */
export const FatalExecutor = z.object({ url: z.string(), tenant: TenantId, agent: AgentId, pids: z.string() });
export type FatalExecutor = z.input<typeof FatalExecutor>;

const [told] = process.argv.slice(2);
if (told) {
  Logger.overrideLogger(false);
  const { url, tenant, agent, pids } = FatalExecutor.parse(JSON.parse(told));
  const world = new World(PostgresRunLog.connect(url), async () => undefined, tenant, agent);
  await world.start(fatalWords(), { slots: 50, isolated: wordsProgram(pids) });
}
