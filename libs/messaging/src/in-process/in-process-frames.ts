import { Logger } from '@nestjs/common';
import { type FrameBatch, type SessionId, type TenantId } from '@parley/core';
import { Frames } from '../frames.js';

type Listener = (batch: FrameBatch) => void;

/**
 * Frames between services that share a process: the batch itself is handed on, not a copy. What is published in one
 * tick is delivered together, in order, after the publisher's stack has ended.
 */
export class InProcessFrames extends Frames {
  readonly #logger = new Logger(InProcessFrames.name);
  readonly #listeners = new Map<string, Set<Listener>>();
  #outgoing: FrameBatch[] = [];

  publish(batch: FrameBatch): void {
    if (!this.#listeners.has(keyOf(batch))) return;
    if (this.#outgoing.push(batch) === 1) queueMicrotask(() => this.#deliver());
  }

  subscribe(address: { tenant: TenantId; session: SessionId }, listener: Listener): () => void {
    const key = keyOf(address);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
  }

  #deliver(): void {
    const batches = this.#outgoing;
    this.#outgoing = [];
    for (const batch of batches) {
      for (const listener of this.#listeners.get(keyOf(batch)) ?? []) this.#tell(listener, batch);
    }
  }

  #tell(listener: Listener, batch: FrameBatch): void {
    try {
      listener(batch);
    } catch (error) {
      this.#logger.error({ session: batch.session, run: batch.run, err: error }, 'a reader of frames failed');
    }
  }
}

const keyOf = ({ tenant, session }: { tenant: TenantId; session: SessionId }): string => `${tenant}/${session}`;
