import { insisting, refusedData, toPlatformError } from './database-error.js';

/** More runs in one batch make the batch slower than two batches (measured: 32 to 64 is best). */
const MAX_BATCH = 64;
/** Two batches keep the connection busy while the first one's answers are read; more only contend. */
const MAX_IN_FLIGHT = 2;

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Joins the calls of one event-loop tick into one statement (DESIGN §5). A batch holds at most one item per session,
 * since a statement sees each session once; the others go with the next one, in order.
 */
export class Batcher<Item, Answer> {
  private waiting: Waiting<Item, Answer>[] = [];
  private inFlight = 0;
  private scheduled = false;

  /**
   * @param send runs one statement; the answer of the item with index i stands at i, `undefined` where there is none.
   * @param sessionOf what an item must not share its batch with another item of.
   */
  constructor(
    private readonly send: (items: Item[]) => Promise<(Answer | undefined)[]>,
    private readonly sessionOf: (item: Item) => string,
  ) {}

  /** @throws PlatformError `unavailable` when the database is away, `internal` when it refuses this item. */
  submit(item: Item): Promise<Answer | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.inFlight >= MAX_IN_FLIGHT || this.waiting.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      const batch = this.nextBatch();
      this.inFlight++;
      void this.run(batch).finally(() => {
        this.inFlight--;
        this.schedule();
      });
      this.schedule();
    });
  }

  private nextBatch(): Waiting<Item, Answer>[] {
    const sessions = new Set<string>();
    const batch: Waiting<Item, Answer>[] = [];
    const later: Waiting<Item, Answer>[] = [];
    for (const entry of this.waiting) {
      const session = this.sessionOf(entry.item);
      if (batch.length < MAX_BATCH && !sessions.has(session)) batch.push(entry);
      else later.push(entry);
      sessions.add(session);
    }
    this.waiting = later;
    return batch;
  }

  private async run(batch: Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await insisting(() => this.send(batch.map(({ item }) => item)));
      batch.forEach(({ resolve }, index) => resolve(answers[index]));
    } catch (error) {
      // One item that the database refuses must not fail its neighbours: send them again one by one.
      if (batch.length > 1 && refusedData(error)) for (const entry of batch) await this.run([entry]);
      else for (const { reject } of batch) reject(toPlatformError(error));
    }
  }
}
