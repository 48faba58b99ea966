import { type FrameBatch, type SessionId, type TenantId } from '@parley/core';

/** Carries frames from executors to gateways, live and at most once; a reader fills gaps from the log (DESIGN §6). */
export abstract class Frames {
  /** Sends what one event-loop tick brought. Batches of one run arrive in the order in which they were sent, or not at all. */
  abstract publish(batch: FrameBatch): void;

  /**
   * Hears the frames of one session's runs from now on. A batch that is heard must not be changed. The answer ends the
   * subscription.
   */
  abstract subscribe(
    address: { tenant: TenantId; session: SessionId },
    listener: (batch: FrameBatch) => void,
  ): () => void;
}
