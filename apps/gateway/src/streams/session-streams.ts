import { Injectable } from '@nestjs/common';
import { Bus, Frames } from '@parley/messaging';
import { PartBlobs } from '@parley/persistence';
import { RunWatch } from './run-watch.js';
import { SessionStream, type StreamAddress } from './session-stream.js';

/** Makes readers of sessions; the one way in which a dialect streams or waits for a turn. */
@Injectable()
export class SessionStreams {
  constructor(
    private readonly bus: Bus,
    private readonly frames: Frames,
    private readonly watch: RunWatch,
    private readonly blobs: PartBlobs,
  ) {}

  /** A reader that hears from now on; `signal` ends it. Open it before the run is admitted, and nothing can be missed. */
  open(address: StreamAddress, signal: AbortSignal): SessionStream {
    const { bus, frames, watch, blobs } = this;
    return new SessionStream({ bus, frames, watch, blobs }, address, signal);
  }
}
