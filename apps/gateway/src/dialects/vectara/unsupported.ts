import { z } from 'zod';

const NOT_YET = 'is not supported by this version of Parley';

/** A documented field that is not executed yet: refused wherever it says anything. */
export const notYet = z.unknown().refine(() => false, NOT_YET);

/** A documented setting that is not executed yet: taken only at the value it has anyway. */
export const onlyAt = <T extends string | number | boolean>(value: T) =>
  z.custom<T>((given) => given === value, `${NOT_YET} unless it is ${JSON.stringify(value)}`);

/** A documented map that has to be empty: every name in it is refused. */
export const emptyMap = (reason = NOT_YET) =>
  z.record(z.string(), z.unknown()).superRefine((map, context) => {
    for (const name of Object.keys(map)) context.addIssue({ code: 'custom', path: [name], message: reason });
  });

/** A documented list that has to be empty: every item of it is refused. */
export const emptyList = (reason = NOT_YET) =>
  z.array(z.unknown()).superRefine((list, context) => {
    list.forEach((_, index) => context.addIssue({ code: 'custom', path: [index], message: reason }));
  });

/** A documented alternative that is not executed yet: refused by its type. */
export const unsupportedType = <T extends string>(type: T) =>
  z.looseObject({ type: z.literal(type) }).transform((_, context): never => {
    context.addIssue({ code: 'custom', path: ['type'], message: `"${type}" ${NOT_YET}` });
    return z.NEVER;
  });
