/** A rule that must always hold does not. */
export class Broken extends Error {
  override readonly name = 'Broken';
}

/** @throws Broken unless `holds`. */
export function must(holds: boolean, rule: string): asserts holds {
  if (!holds) throw new Broken(rule);
}
