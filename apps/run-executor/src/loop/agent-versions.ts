import { type AgentId, type AgentVersion, type TenantId } from '@parley/core';
import { getAgentVersion } from '@parley/contracts';
import { Injectable } from '@nestjs/common';
import { Bus } from '@parley/messaging';

/** One version of an agent. */
export interface AgentVersionRef {
  tenant: TenantId;
  agent: AgentId;
  version: number;
}

const KEPT = 1_000;

/** Agent versions never change, so each is asked for once and then known; the least recently used are forgotten. */
@Injectable()
export class AgentVersions {
  readonly #known = new Map<string, AgentVersion>();

  constructor(private readonly bus: Bus) {}

  /** Undefined when it has to be fetched. */
  recall(ref: AgentVersionRef): AgentVersion | undefined {
    const key = keyOf(ref);
    const known = this.#known.get(key);
    if (known) this.#keep(key, known);
    return known;
  }

  /** @throws PlatformError `not_found`; `unavailable` or `timeout` while the registry is away. */
  async fetch(ref: AgentVersionRef): Promise<AgentVersion> {
    const { tenant, agent: id, version } = ref;
    const fetched = await this.bus.request(getAgentVersion, { tenant, id, version });
    this.#keep(keyOf(ref), fetched);
    return fetched;
  }

  #keep(key: string, version: AgentVersion): void {
    this.#known.delete(key);
    this.#known.set(key, version);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) return;
      this.#known.delete(oldest);
    }
  }
}

const keyOf = ({ tenant, agent, version }: AgentVersionRef): string => `${tenant}/${agent}/${version}`;
