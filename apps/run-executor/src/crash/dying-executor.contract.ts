import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { AgentId, newId, RunId, SessionId, TenantId } from '@parley/core';
import { armCrashPoint, CrashAt } from '@parley/host';
import { PostgresRunLog } from '@parley/persistence';
import { z } from 'zod';
import { World } from '../loop/world.contract.js';
import { failing, twoRounds } from './two-rounds.contract.js';

/** What the process is told: which database, which session, and where to die. */
export const DyingExecutor = z.object({
  url: z.string(),
  crashAt: CrashAt,
  tenant: TenantId,
  agent: AgentId,
  session: SessionId,
  /** Admit the run here and hand it over in the process; else one is queued. */
  admits: z.boolean(),
  /** The model's first call fails, and is to be made again later than a slot may be held for. */
  fails: z.boolean(),
  /** Be told to stop as soon as the model has said something. */
  stops: z.boolean(),
});
export type DyingExecutor = z.input<typeof DyingExecutor>;

const run = async (told: z.output<typeof DyingExecutor>): Promise<void> => {
  const { tenant, session, agent } = told;
  Logger.overrideLogger(false);
  armCrashPoint(told.crashAt);
  const world = new World(PostgresRunLog.connect(told.url), async () => undefined, tenant, agent);
  const model = told.fails ? failing() : twoRounds();
  const { executor } = await world.start(model, { graceMs: 0 });
  if (told.admits) {
    const slot = executor.reserve();
    const ref = { tenant, session };
    const admitted = await world.admit(ref, 'Find it', { id: newId(RunId), executor: slot?.executor });
    if (admitted.outcome === 'queued' && admitted.claimed) slot?.fill(admitted.claimed);
  }
  if (!told.stops) return;
  await model.next();
  await executor.beforeApplicationShutdown();
};

const [told] = process.argv.slice(2);
if (told) await run(DyingExecutor.parse(JSON.parse(told)));
