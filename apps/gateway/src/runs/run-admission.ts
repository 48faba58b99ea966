import { Injectable } from '@nestjs/common';
import { admitRun, type ParsedOf, type ResponseOf } from '@parley/contracts';
import { Bus, type RequestOptions } from '@parley/messaging';
import { PartBlobs } from '@parley/persistence';

/** Admits runs for every dialect: large words are in their blobs before anybody is asked (DESIGN §6). */
@Injectable()
export class RunAdmission {
  constructor(
    private readonly bus: Bus,
    private readonly blobs: PartBlobs,
  ) {}

  async admit(run: ParsedOf<typeof admitRun>, options: RequestOptions): Promise<ResponseOf<typeof admitRun>> {
    const { tenant, session, id } = run;
    const parts = await this.blobs.stow({ tenant, session }, `input ${id}`, run.parts);
    return await this.bus.request(admitRun, { ...run, parts }, options);
  }
}
