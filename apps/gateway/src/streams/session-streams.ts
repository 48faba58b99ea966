import { Injectable } from '@nestjs/common';
import { Bus, Frames } from '@parley/messaging';
import { RunWatch } from './run-watch.js';
import { SessionStream, type StreamAddress } from './session-stream.js';

/** Makes readers of sessions; the one way in which a dialect streams or waits for a turn. */
@Injectable()
export class SessionStreams {
  constructor(
    private readonly bus: Bus,
    private readonly frames: Frames,
    private readonly watch: RunWatch,
  ) {}

  /** A reader that hears from now on; `signal` ends it. Open it before the run is admitted, and nothing can be missed. */
  open(address: StreamAddress, signal: AbortSignal): SessionStream {
    return new SessionStream({ bus: this.bus, frames: this.frames, watch: this.watch }, address, signal);
  }
}
