import { TestRedis } from '@parley/testing';
import { Redis } from 'ioredis';
import { BullPermits } from './bull-permits.js';
import { connectRedis, type RedisLink } from './redis-link.js';
import { REDIS_APPS, redisRules, type RedisApp } from './redis-users.js';

/** One process's permits. */
export interface Side {
  link: RedisLink;
  permits: BullPermits;
}

/** A Redis server with the users of a cluster, and the processes around it. Everything ends with `remove`. */
export class PermitsWorld {
  readonly #sides: Side[] = [];
  #admin: Redis | undefined;

  private constructor(readonly redis: TestRedis) {}

  /** The server is not started yet. */
  static async create(): Promise<PermitsWorld> {
    // The password of each is its name.
    const users = REDIS_APPS.map((app) => `user ${app} ${redisRules(app, app).join(' ')}`);
    return new PermitsWorld(await TestRedis.create(['user default off', ...users].join('\n')));
  }

  static async start(): Promise<PermitsWorld> {
    const world = await PermitsWorld.create();
    await world.redis.start();
    return world;
  }

  /** A process of that app; it need not be connected yet. */
  open(user: RedisApp): Side {
    const link = connectRedis({ url: this.redis.url(user) });
    const side = { link, permits: new BullPermits(link) };
    this.#sides.push(side);
    return side;
  }

  /** The same, connected. */
  async join(user: RedisApp): Promise<BullPermits> {
    const { link, permits } = this.open(user);
    await link.connected();
    return permits;
  }

  /** Who may ask and do everything. */
  get admin(): Redis {
    return (this.#admin ??= new Redis(this.redis.url('test')));
  }

  /** How many connections wait in Redis for a permit. */
  async waiting(): Promise<number> {
    const list = String(await this.admin.client('LIST'));
    return list.split('\n').filter((line) => line.includes('cmd=bzpopmin')).length;
  }

  async remove(): Promise<void> {
    this.redis.resume();
    for (const { permits, link } of this.#sides) {
      await permits.close();
      await link.close();
    }
    this.#admin?.disconnect();
    await this.redis.remove();
  }
}
