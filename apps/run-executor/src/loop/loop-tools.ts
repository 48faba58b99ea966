import { Injectable } from '@nestjs/common';
import { type PartBlobs, RunLog } from '@parley/persistence';
import { AgentVersions } from './agent-versions.js';
import { Announcer } from './announcer.js';
import { Model } from './model.js';
import { Transcripts } from './transcripts.js';

/** What the loop of every run works with. */
@Injectable()
export class LoopTools {
  constructor(
    readonly log: RunLog,
    readonly model: Model,
    readonly agents: AgentVersions,
    readonly transcripts: Transcripts,
    readonly announcer: Announcer,
  ) {}

  get blobs(): PartBlobs {
    return this.transcripts.blobs;
  }
}
