/** Answers a request: JSON in, JSON out; throws the wire form of an error. */
export type Responder = (json: string, deadline: Date) => Promise<string>;
/** Hears an event, as JSON. */
export type Listener = (json: string) => void;

/**
 * The wire of one process: who serves a subject and who listens to a pattern. It carries JSON only, so that both ends
 * are as far apart as they are over NATS, and it never runs a receiver on the sender's stack.
 */
export class InProcessHub {
  readonly #responders = new Map<string, Responder>();
  readonly #listeners = new Map<string, Set<Listener>>();

  serve(subject: string, responder: Responder): void {
    if (this.#responders.has(subject)) throw new Error(`${subject} is served twice in this process`);
    this.#responders.set(subject, responder);
  }

  withdraw(subject: string): void {
    this.#responders.delete(subject);
  }

  /** Undefined when nobody serves the subject. */
  responder(subject: string): Responder | undefined {
    return this.#responders.get(subject);
  }

  listen(pattern: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(pattern) ?? new Set();
    this.#listeners.set(pattern, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(pattern) === listeners) this.#listeners.delete(pattern);
    };
  }

  tell(pattern: string, json: string): void {
    if (!this.#listeners.has(pattern)) return;
    queueMicrotask(() => {
      for (const listener of this.#listeners.get(pattern) ?? []) listener(json);
    });
  }
}
