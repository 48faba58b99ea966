/**
 * Writes one line in the form in which the CLI reads the engine's standard error.
 * @param {'INFO' | 'ERROR'} level
 * @param {string} message
 * @param {{ error_code?: string, meta?: object }} [fields]
 */
export function logLine(level, message, fields = {}) {
  const line = { timestamp: new Date().toISOString(), level, fields: { message, ...fields }, target: 'schema_engine' };
  process.stderr.write(`${JSON.stringify(line)}\n`);
}
