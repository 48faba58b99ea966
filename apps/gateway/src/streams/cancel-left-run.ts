import { Logger } from '@nestjs/common';
import { cancelRun } from '@parley/contracts';
import { FactId, newId, PlatformError, type RunId } from '@parley/core';
import { type Bus } from '@parley/messaging';
import { type StreamAddress } from './session-stream.js';

/** Ends a run whose client went away and wanted that. Nobody is left to hear that it failed: the log is told. */
export const cancelLeftRun = async (bus: Bus, { tenant, session }: StreamAddress, run: RunId): Promise<void> => {
  const cancel = { fact: newId(FactId), reason: 'disconnected', rewind: false };
  try {
    await bus.request(cancelRun, { tenant, session, run, ...cancel });
  } catch (error) {
    const isGone = error instanceof PlatformError && error.code === 'not_found';
    if (!isGone) new Logger('Streams').warn({ tenant, run, err: error }, 'a run that was left could not be ended');
  }
};
