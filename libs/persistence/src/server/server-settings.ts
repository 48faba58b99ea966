/** Settings of the servers that Parley starts itself. What is not here is Postgres' default; a value needs a reason. */
export const SERVER_SETTINGS: Readonly<Record<string, string | number>> = {
  // Standalone needs about 40: the pools of five modules, BullMQ's, and the locks' own connections.
  max_connections: 100,
  shared_buffers: '128MB',
  // Every statement of ours is short; compiling one costs more than running it.
  jit: 'off',
  // The server notices a dead client in the middle of its statement too, and frees its locks.
  client_connection_check_interval: '1s',
  // The hot verbs update a few rows all the time: analyze and vacuum them soon, or plans and indexes degrade.
  autovacuum_naptime: '10s',
  // Most of the log's bytes are JSON; a page image in the WAL shrinks to a third.
  wal_compression: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
};

/** For servers whose data nobody will miss: durable against a killed process, not against a lost machine. */
export const DISPOSABLE_SETTINGS: Readonly<Record<string, string | number>> = {
  fsync: 'off',
  full_page_writes: 'off',
  // Suites run in parallel and each has pools of its own.
  max_connections: 300,
};
