export { createTestDatabase, postgresServers, type TestDatabase } from './servers/test-database.js';
export { type TestPostgresServer } from './config.js';
export { FakePlatform } from './platform/fake-platform.js';
export { type FakeLog } from './platform/fake-log.js';
export { echo, FAKE_USAGE, type FakeTurn, type Script } from './platform/fake-turn.js';
export { type SseEvent, sseEvents } from './vectara/sse-events.js';
export { type Probed, type ProbeRequest, type StreamedFrame, VectaraProbe } from './vectara/vectara-probe.js';
export { TestNats } from './servers/test-nats.js';
export { TestRedis } from './servers/test-redis.js';
