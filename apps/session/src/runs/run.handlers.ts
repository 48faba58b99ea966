import { Controller } from '@nestjs/common';
import {
  admitRun,
  cancelRun,
  getRun,
  getRunStates,
  postFact,
  readLog,
  type ParsedOf,
  type ResponseOf,
} from '@parley/contracts';
import { type Run } from '@parley/core';
import { type Call, Handles } from '@parley/messaging';
import { AdmitRun } from './admit-run.js';
import { CancelRun } from './cancel-run.js';
import { GetRun } from './get-run.js';
import { GetRunStates } from './get-run-states.js';
import { PostFact } from './post-fact.js';
import { ReadLog } from './read-log.js';

/** What is done to runs, from the bus to its use cases. */
@Controller()
export class RunWriteHandlers {
  constructor(
    private readonly admitting: AdmitRun,
    private readonly posting: PostFact,
    private readonly cancelling: CancelRun,
  ) {}

  @Handles(admitRun)
  admit(request: ParsedOf<typeof admitRun>, call: Call): Promise<ResponseOf<typeof admitRun>> {
    return this.admitting.execute(request, call.deadline);
  }

  @Handles(postFact)
  post(request: ParsedOf<typeof postFact>): Promise<ResponseOf<typeof postFact>> {
    return this.posting.execute(request);
  }

  @Handles(cancelRun)
  cancel(request: ParsedOf<typeof cancelRun>): Promise<Run> {
    return this.cancelling.execute(request);
  }
}

/** What is asked of runs and their log, from the bus to its use cases. */
@Controller()
export class RunReadHandlers {
  constructor(
    private readonly getting: GetRun,
    private readonly gettingStates: GetRunStates,
    private readonly reading: ReadLog,
  ) {}

  @Handles(getRun)
  get(request: ParsedOf<typeof getRun>): Promise<Run> {
    return this.getting.execute(request);
  }

  @Handles(getRunStates)
  getStates(request: ParsedOf<typeof getRunStates>): Promise<ResponseOf<typeof getRunStates>> {
    return this.gettingStates.execute(request);
  }

  @Handles(readLog)
  read(request: ParsedOf<typeof readLog>): Promise<ResponseOf<typeof readLog>> {
    return this.reading.execute(request);
  }
}
