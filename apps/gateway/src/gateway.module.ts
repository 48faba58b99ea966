import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Health } from '@parley/host';
import { Bus, Frames } from '@parley/messaging';
import { PartBlobs } from '@parley/persistence';
import { DeadLettersController } from './admin/dead-letters.controller.js';
import { ProvidersController } from './admin/providers.controller.js';
import { VectaraModule } from './dialects/vectara/vectara.module.js';
import { HealthController } from './http/health.controller.js';
import { RunAdmission } from './runs/run-admission.js';
import { RunWatch } from './streams/run-watch.js';
import { SessionStreams } from './streams/session-streams.js';

/** What the gateway works with. */
export interface GatewayPorts {
  bus: Bus;
  frames: Frames;
  /** Where large words are: in before the question, out behind the answer (DESIGN §6). */
  blobs: PartBlobs;
  health: Health;
  /** Seals the cursors of lists; the same for all gateways of an installation, or their pages do not fit together. */
  cursorSecret: string;
}

/** The ports, for every dialect. */
@Global()
@Module({})
class PortsModule {
  static with({ bus, frames, blobs, health }: GatewayPorts): DynamicModule {
    const providers = [
      { provide: Bus, useValue: bus },
      { provide: Frames, useValue: frames },
      { provide: PartBlobs, useValue: blobs },
      { provide: Health, useValue: health },
      RunAdmission,
      RunWatch,
      SessionStreams,
    ];
    return { module: PortsModule, providers, exports: providers };
  }
}

/** The only HTTP door of Parley. It knows dialects and streams; the rules of the platform live behind the bus. */
@Module({})
export class GatewayModule {
  static with(ports: GatewayPorts): DynamicModule {
    return {
      module: GatewayModule,
      imports: [PortsModule.with(ports), VectaraModule.with(ports.cursorSecret)],
      controllers: [HealthController, DeadLettersController, ProvidersController],
    };
  }
}
