import { Injectable } from '@nestjs/common';
import { type cancelRun, type ParsedOf } from '@parley/contracts';
import { isTerminal, notFound, PlatformError, type Run } from '@parley/core';
import { crashPoint } from '@parley/host';
import { RunLog } from '@parley/persistence';
import { Poster } from '../writing/poster.js';
import { HeldRunEnding } from './held-run-ending.js';

/** Ends a run and answers when it has ended; one that had ended before is answered as it is (DESIGN §7.6). */
@Injectable()
export class CancelRun {
  constructor(
    private readonly log: RunLog,
    private readonly poster: Poster,
    private readonly ending: HeldRunEnding,
  ) {}

  async execute({ run, fact: id, reason, rewind, ...ref }: ParsedOf<typeof cancelRun>): Promise<Run> {
    crashPoint('post.before');
    const body = { kind: 'cancel', reason: reason ?? (rewind ? 'rolled_back' : null), rewind } as const;
    const posted = await this.log.post(ref, { id, run, body });
    crashPoint('post.after');
    if (posted.outcome === 'not_found') throw notFound('run', run);
    const isHeld =
      posted.outcome === 'held' ||
      (posted.outcome === 'unheld' && (await this.poster.write(ref, posted.situation)).executor !== null);
    if (isHeld) await this.ending.execute(ref, run);
    const ended = await this.log.getRun(ref.tenant, run);
    if (!ended) throw notFound('run', run);
    if (!isTerminal(ended.state)) throw new PlatformError('timeout', `run '${run}' has not ended yet`);
    return ended;
  }
}
