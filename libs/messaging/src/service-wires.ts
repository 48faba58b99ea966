import { NatsBus } from './nats/nats-bus.js';
import { NatsFrames } from './nats/nats-frames.js';
import { connectNats, type NatsLink } from './nats/nats-link.js';
import { NatsServer } from './nats/nats-server.js';
import { BullPermits } from './redis/bull-permits.js';
import { connectRedis, type RedisLink } from './redis/redis-link.js';

/** Where a service's servers are, with its user and password in each address. */
export interface WireAddresses {
  nats: string;
  redis: string;
}

/** What a service works with that rings for runs or is rung for. */
export interface Wires {
  bus: NatsBus;
  frames: NatsFrames;
  permits: BullPermits;
}

/** A service's connections to NATS and Redis, and the wires on them. They are made in the background. */
export class ServiceWires {
  readonly #nats: NatsLink;
  readonly #redis: RedisLink;
  #permits: BullPermits | undefined;

  /** @param name of the service, which its processes share. */
  constructor(
    { nats, redis }: WireAddresses,
    private readonly name: string,
  ) {
    this.#nats = connectNats({ url: nats, name });
    this.#redis = connectRedis({ url: redis });
  }

  /** Tells readiness of both servers: work goes on without Redis (DESIGN §6). */
  watchedBy(health: { watch(name: string, ask: () => Promise<unknown>, options?: { needed: boolean }): void }): void {
    health.watch('nats', () => this.#nats.check());
    health.watch('redis', () => this.#redis.check(), { needed: false });
  }

  /** The wires; asked for once the servers are there. */
  open(): Wires {
    this.#permits ??= new BullPermits(this.#redis);
    return { bus: new NatsBus(this.#nats), frames: new NatsFrames(this.#nats), permits: this.#permits };
  }

  /** Nest's side of the bus: what this service answers. */
  server(): NatsServer {
    return new NatsServer(this.#nats, this.name);
  }

  /** Sends what is left and ends the connections. */
  async close(): Promise<void> {
    await this.#permits?.close();
    await Promise.all([this.#nats.close(), this.#redis.close()]);
  }
}
