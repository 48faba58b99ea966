import { once } from 'node:events';
import { Permits } from '@parley/messaging';
import { type ParentLine } from './parent-line.js';

/** Permits as a child has them: it rings through its parent, and is given none, since it claims nothing. */
export class ParentPermits extends Permits {
  constructor(private readonly parent: ParentLine) {
    super();
  }

  add(count: number, dueAt?: Date): Promise<void> {
    this.parent.tell({ kind: 'ring', count, dueAt });
    return Promise.resolve();
  }

  async take(_max: number, signal: AbortSignal): Promise<number> {
    if (!signal.aborted) await once(signal, 'abort');
    return 0;
  }
}
