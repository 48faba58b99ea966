import { type Fleet } from './fleet.contract.js';
import { idOf } from './subject.contract.js';

const UUID = /^[0-9a-f]{8}-0000-4000-8000-[0-9a-f]{12}$/;
const RANDOM = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Makes the answers of two stores comparable: times become one word, ids that a store made itself are counted in the
 * order in which they turn up, executors go by their slots, and what a verb answers in no order is sorted.
 */
export class Normaliser {
  private readonly made = new Map<string, string>();

  constructor(
    private readonly fleet: Fleet,
    private readonly given: readonly string[],
  ) {}

  normalised(value: unknown): unknown {
    if (value instanceof Date) return 'a time';
    if (typeof value === 'string') return this.idOrText(value);
    if (Array.isArray(value)) return value.map((item) => this.normalised(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([key, field]): [string, unknown] => [key, this.field(key, field)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  private field(key: string, value: unknown): unknown {
    if (key === 'executor' && typeof value === 'number') return this.fleet.nameOf(value);
    if (key === 'held' && Array.isArray(value)) return sorted(this.normalised(value));
    return this.normalised(value);
  }

  private idOrText(text: string): string {
    if (!RANDOM.test(text) || UUID.test(text) || this.given.includes(text)) return text;
    const name = this.made.get(text) ?? idOf('made', this.made.size + 1);
    this.made.set(text, name);
    return name;
  }
}

/** The same items in an order that does not depend on the store. */
export const sorted = (items: unknown): unknown =>
  Array.isArray(items) ? [...items].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
