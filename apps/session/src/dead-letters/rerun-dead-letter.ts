import { Injectable } from '@nestjs/common';
import { type ParsedOf, type rerunDeadLetter, type ResponseOf } from '@parley/contracts';
import { deadLetterOf, deriveId, notFound, PlatformError, type Run, RunId } from '@parley/core';
import { RunLog } from '@parley/persistence';
import { AdmitRun } from '../runs/admit-run.js';

/** Gives the input of a dead letter another try: a run of its own, under an id that is the same whenever it is asked for. */
@Injectable()
export class RerunDeadLetter {
  constructor(
    private readonly log: RunLog,
    private readonly admitting: AdmitRun,
  ) {}

  async execute(
    { tenant, run: id }: ParsedOf<typeof rerunDeadLetter>,
    deadline?: Date,
  ): Promise<ResponseOf<typeof rerunDeadLetter>> {
    const run = await this.log.getRun(tenant, id);
    if (!run) throw notFound('run', id);
    if (!deadLetterOf(run)) throw noDeadLetter(run);
    const { session, agent, parts, budget } = run;
    const rerun = deriveId(RunId, { tenant, kind: 'rerun', key: id });
    const admission = { tenant, id: rerun, session, agent, parts, budget };
    return await this.admitting.execute({ ...admission, whenBusy: 'defer', whenWaiting: 'defer' }, deadline);
  }
}

const noDeadLetter = ({ id, state, reason }: Run): PlatformError => {
  const stands = reason === null ? state : `${state} (${reason})`;
  const message = `run '${id}' is no dead letter, it is ${stands}: send its input again as a new run`;
  return new PlatformError('illegal_state', message, { noun: 'run', id });
};
