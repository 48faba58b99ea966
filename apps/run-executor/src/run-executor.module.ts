import { Module, type DynamicModule } from '@nestjs/common';
import { Bus, Frames, Permits } from '@parley/messaging';
import { PartBlobs, RunLog } from '@parley/persistence';
import { Executor } from './executor/executor.js';
import { ExecutorOptions } from './executor/executor-options.js';
import { AgentVersions } from './loop/agent-versions.js';
import { Announcer } from './loop/announcer.js';
import { LoopTools } from './loop/loop-tools.js';
import { Model } from './loop/model.js';
import { Transcripts } from './loop/transcripts.js';
import { ProviderHandlers } from './provider.handlers.js';

/** What the run executor works with. */
export interface RunExecutorPorts {
  log: RunLog;
  blobs: PartBlobs;
  bus: Bus;
  frames: Frames;
  permits: Permits;
  model: Model;
  options: ExecutorOptions;
}

/** Acts runs: claims them, calls their models and records what comes of it. */
@Module({})
export class RunExecutorModule {
  static with({ log, blobs, bus, frames, permits, model, options }: RunExecutorPorts): DynamicModule {
    return {
      module: RunExecutorModule,
      controllers: [ProviderHandlers],
      providers: [
        { provide: RunLog, useValue: log },
        { provide: PartBlobs, useValue: blobs },
        { provide: Bus, useValue: bus },
        { provide: Frames, useValue: frames },
        { provide: Permits, useValue: permits },
        { provide: Model, useValue: model },
        { provide: ExecutorOptions, useValue: options },
        AgentVersions,
        Announcer,
        Transcripts,
        LoopTools,
        Executor,
      ],
      exports: [Executor],
    };
  }
}
