/** A migration that cannot be applied, or a database that does not have the schema this build needs. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}
