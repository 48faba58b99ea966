import { Injectable } from '@nestjs/common';
import { type deleteSession, type ParsedOf } from '@parley/contracts';
import { FactId, newId, notFound, PlatformError } from '@parley/core';
import { RunLog, type SessionRef } from '@parley/persistence';
import { CancelRun } from '../runs/cancel-run.js';

/** Each try ends one run that an executor has taken up; so many do not wait in one session. */
const MAX_ATTEMPTS = 100;

/** Removes a session with its log: ends the run that an executor holds, first. */
@Injectable()
export class DeleteSession {
  constructor(
    private readonly log: RunLog,
    private readonly cancelRun: CancelRun,
  ) {}

  async execute({ tenant, id }: ParsedOf<typeof deleteSession>): Promise<void> {
    const ref = { tenant, session: id };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const outcome = await this.log.remove(ref);
      if (outcome === 'removed') return;
      if (outcome === 'not_found') throw notFound('session', id);
      await this.#cancelActive(ref);
    }
    throw new PlatformError('unavailable', `session '${id}' is taken up again and again: try again`);
  }

  async #cancelActive(ref: SessionRef): Promise<void> {
    const active = (await this.log.look(ref))?.active;
    if (!active) return;
    const cancel = { fact: newId(FactId), reason: 'session_deleted', rewind: false };
    await this.cancelRun.execute({ ...ref, run: active.run, ...cancel });
  }
}
