import { EMPTY_HEAD } from '@parley/core';
import { Tables } from '@parley/persistence';
import { FlakyRunLog } from './flaky-run-log.contract.js';
import { World } from './world.contract.js';

/** A world on the log in memory, that log, and its rows. */
export const referenceWorld = (): { world: World; log: FlakyRunLog; tables: Tables } => {
  const tables = new Tables(() => new Date());
  const log = new FlakyRunLog(tables);
  const world = new World(log, async (ref) => {
    const empty = {
      agent: null,
      enabled: true,
      head: EMPTY_HEAD,
      active: null,
      edits: 0,
      log: [],
      facts: [],
      runs: [],
    };
    tables.insertSession({ ...ref, ...empty });
  });
  tables.insertAgent({ tenant: world.tenant, id: world.agent, version: 1, enabled: true });
  return { world, log, tables };
};
