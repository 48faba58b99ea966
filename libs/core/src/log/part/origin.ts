import { z } from 'zod';

/** Where the content of a part came from; decides how far it is trusted. */
export const Origin = z.enum(['user', 'model', 'tool', 'web', 'memory']);
export type Origin = z.infer<typeof Origin>;
