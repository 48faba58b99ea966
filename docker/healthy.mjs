/** A container's health check: ends with 0 where the address that it is given answers 2xx. */
const { ok } = await fetch(process.argv[2], { signal: AbortSignal.timeout(2_500) }).catch(() => ({ ok: false }));
process.exit(ok ? 0 : 1);
