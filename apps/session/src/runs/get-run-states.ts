import { Injectable } from '@nestjs/common';
import { type getRunStates, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { RunLog } from '@parley/persistence';

/** Says where many runs stand. */
@Injectable()
export class GetRunStates {
  constructor(private readonly log: RunLog) {}

  async execute({ runs }: ParsedOf<typeof getRunStates>): Promise<ResponseOf<typeof getRunStates>> {
    return { runs: await this.log.standings(runs) };
  }
}
