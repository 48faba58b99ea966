import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RunLog } from '@parley/persistence';

const SWEEP_EVERY_MS = 3_600_000;
/** A request that stored a blob has long ended by then, and so have its repetitions. */
const OLD_MS = 24 * 3_600_000;

/** Now and then removes blobs whose words never came into the log, because the request that brought them broke off. */
@Injectable()
export class BlobSweep implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #logger = new Logger(BlobSweep.name);
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly log: RunLog) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.sweep(), SWEEP_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.#timer);
  }

  /** Never rejects: what is not swept now is swept the next time. */
  async sweep(): Promise<void> {
    try {
      while ((await this.log.sweepBlobs(OLD_MS)).more);
    } catch (error) {
      this.#logger.warn({ err: error }, 'blobs could not be swept');
    }
  }
}
