/**
 * Loaded into every process that the launcher starts, before the app: the launcher holds the other end of its standard
 * input, so when that ends, however the launcher ended, the app is told to stop.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
