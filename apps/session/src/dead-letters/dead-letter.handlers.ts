import { Controller } from '@nestjs/common';
import { listDeadLetters, rerunDeadLetter, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { type DeadLetter, type Page } from '@parley/core';
import { type Call, Handles } from '@parley/messaging';
import { ListDeadLetters } from './list-dead-letters.js';
import { RerunDeadLetter } from './rerun-dead-letter.js';

/** What is asked of dead letters, from the bus to its use cases. */
@Controller()
export class DeadLetterHandlers {
  constructor(
    private readonly listing: ListDeadLetters,
    private readonly rerunning: RerunDeadLetter,
  ) {}

  @Handles(listDeadLetters)
  list(request: ParsedOf<typeof listDeadLetters>): Promise<Page<DeadLetter>> {
    return this.listing.execute(request);
  }

  @Handles(rerunDeadLetter)
  rerun(request: ParsedOf<typeof rerunDeadLetter>, call: Call): Promise<ResponseOf<typeof rerunDeadLetter>> {
    return this.rerunning.execute(request, call.deadline);
  }
}
