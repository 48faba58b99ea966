import { z } from 'zod';

/** Lists come in pages: `next` is the opaque place where the following page starts, null on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), next: z.string().nullable() });

/** One page of a list, as `pageOf` describes it. */
export interface Page<T> {
  items: T[];
  next: string | null;
}
