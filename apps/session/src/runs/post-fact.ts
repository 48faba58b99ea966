import { Injectable } from '@nestjs/common';
import { type ParsedOf, type postFact, type ResponseOf } from '@parley/contracts';
import { notFound, refuseLargeParts } from '@parley/core';
import { crashPoint } from '@parley/host';
import { RunLog } from '@parley/persistence';
import { Announcer } from '../writing/announcer.js';
import { Poster } from '../writing/poster.js';

/** Tells a run something: its holder reads it, or, where nobody holds it, this process writes what it leads to. */
@Injectable()
export class PostFact {
  constructor(
    private readonly log: RunLog,
    private readonly poster: Poster,
    private readonly announcer: Announcer,
  ) {}

  async execute({ run, fact: id, body, ...ref }: ParsedOf<typeof postFact>): Promise<ResponseOf<typeof postFact>> {
    if ('parts' in body) refuseLargeParts(body.parts);
    crashPoint('post.before');
    const posted = await this.log.post(ref, { id, run, body });
    crashPoint('post.after');
    switch (posted.outcome) {
      case 'not_found':
        throw notFound('run', run);
      case 'void':
        return { outcome: 'void', state: posted.state };
      case 'ended':
        return { outcome: 'taken', state: 'cancelled' };
      case 'taken':
        return { outcome: 'taken', state: (await this.log.getRun(ref.tenant, run))?.state ?? 'cancelled' };
      case 'held':
        this.announcer.nudge(ref, run, posted.executor);
        return { outcome: 'posted', state: 'running' };
      case 'unheld': {
        const left = await this.poster.write(ref, posted.situation);
        if (left.executor !== null) this.announcer.nudge(ref, run, left.executor);
        return { outcome: left.unread.includes(id) ? 'posted' : 'taken', state: left.state ?? 'cancelled' };
      }
    }
  }
}
