import { Logger } from '@nestjs/common';
import { FrameBatchView, framesSubject, FRAMES_PATTERN } from '@parley/contracts';
import { type Frame, type FrameBatch, type SessionId, type TenantId } from '@parley/core';
import { type Msg } from '@nats-io/transport-node';
import { Frames } from '../frames.js';
import { MAX_MESSAGE_BYTES } from '../max-message.js';
import { type NatsLink, type NatsSubscription } from './nats-link.js';

type Listener = (batch: FrameBatch) => void;

/** Room for a batch beside its frames. */
const HEADROOM_BYTES = 8_192;

/**
 * Frames between processes: one subscription for all that a gateway streams, sorted by subject before anything is read;
 * none while nobody reads, since it brings the frames of every session.
 * What does not fit into one message goes in several; a frame that does not fit into one alone is left out, and its
 * readers, who see the gap, read it from the log.
 */
export class NatsFrames extends Frames {
  readonly #logger = new Logger(NatsFrames.name);
  readonly #listeners = new Map<string, Set<Listener>>();
  #subscription: NatsSubscription | undefined;

  constructor(private readonly link: NatsLink) {
    super();
  }

  publish(batch: FrameBatch): void {
    if (!this.link.isUp) return;
    const subject = framesSubject(batch);
    const json = JSON.stringify(batch);
    if (json.length * 3 < this.link.maxPayload) this.link.publish(subject, json);
    else this.#publishInParts(subject, batch);
  }

  subscribe(address: { tenant: TenantId; session: SessionId }, listener: Listener): () => void {
    this.#subscription ??= this.link.subscribe(FRAMES_PATTERN, (message) => this.#hear(message));
    const subject = framesSubject(address);
    const listeners = this.#listeners.get(subject) ?? new Set();
    this.#listeners.set(subject, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(subject) === listeners) this.#listeners.delete(subject);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #stop(): void {
    this.#subscription?.stop();
    this.#subscription = undefined;
  }

  #publishInParts(subject: string, batch: FrameBatch): void {
    const room = Math.min(MAX_MESSAGE_BYTES, this.link.maxPayload) - HEADROOM_BYTES;
    let after = batch.after;
    let part: Frame[] = [];
    let size = 0;
    const send = (): void => {
      if (part.length === 0) return;
      this.link.publish(subject, JSON.stringify({ ...batch, after, frames: part }));
      after = part.at(-1)?.id ?? after;
      [part, size] = [[], 0];
    };
    for (const frame of batch.frames) {
      const bytes = Buffer.byteLength(JSON.stringify(frame)) + 1;
      if (size + bytes > room) send();
      if (bytes > room) {
        this.#logger.warn({ subject, bytes, frame: frame.id }, 'a frame is too large to be sent live');
        after = frame.id;
      } else {
        part.push(frame);
        size += bytes;
      }
    }
    send();
  }

  #hear(message: Msg): void {
    const listeners = this.#listeners.get(message.subject);
    if (!listeners) return;
    const batch = this.#read(message);
    if (!batch) return;
    for (const listener of listeners) {
      try {
        listener(batch);
      } catch (error) {
        this.#logger.error({ session: batch.session, run: batch.run, err: error }, 'a reader of frames failed');
      }
    }
  }

  #read(message: Msg): FrameBatch | undefined {
    try {
      const batch = FrameBatchView.parse(message.json());
      if (framesSubject(batch) === message.subject) return batch;
      const { tenant, session, run } = batch;
      this.#logger.error({ subject: message.subject, tenant, session, run }, 'frames came under the name of others');
    } catch (error) {
      this.#logger.error({ subject: message.subject, err: error }, 'frames came that their contract does not allow');
    }
    return undefined;
  }
}
