import { type ExecutorId } from '../run-log.js';
import { type Subject } from './subject.contract.js';

/** The executors of one store by the slot that they sit in. They outlive a sequence, since each costs a connection. */
export class Fleet {
  private readonly slots = new Map<number, ExecutorId>();
  /** Slots whose executor was killed and not replaced yet. */
  private readonly killed = new Set<number>();
  /** Executors that were replaced in this sequence. */
  private replaced: ExecutorId[] = [];

  constructor(private readonly subject: Subject) {}

  /** Sees to it that there is a live executor in every slot. */
  async ready(): Promise<void> {
    for (const slot of [0, 1]) {
      const id = this.slots.get(slot);
      const lives = id !== undefined && this.isConnected(slot) && (await this.subject.log.heartbeat(id)).alive;
      if (!lives) await this.register(slot);
    }
  }

  /** Sends home those who lost their slot, for each keeps a connection. */
  async tidy(): Promise<void> {
    for (const id of this.replaced) await this.subject.log.retire(id);
    this.replaced = [];
  }

  async register(slot: number): Promise<void> {
    const before = this.slots.get(slot);
    if (before !== undefined) this.replaced.push(before);
    this.slots.set(slot, await this.subject.log.register());
    this.killed.delete(slot);
  }

  async kill(slot: number): Promise<void> {
    if (this.killed.has(slot)) return;
    this.killed.add(slot);
    await this.subject.kill(this.at(slot));
  }

  isConnected(slot: number): boolean {
    return !this.killed.has(slot);
  }

  at(slot: number): ExecutorId {
    const id = this.slots.get(slot);
    if (id === undefined) throw new Error(`nobody registered in slot ${slot}`);
    return id;
  }

  /** A name for an executor that is the same in every store. */
  nameOf(executor: number): string {
    const slot = [...this.slots].find(([, id]) => id === executor)?.[0];
    return slot === undefined ? 'executor of the past' : `executor ${slot}`;
  }
}
