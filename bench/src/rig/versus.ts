import { fileURLToPath } from 'node:url';
import { type LoadPlan, type LoadReport, type StreamRequest } from '../load/load-plan.js';
import { chatRequest, makeAgent, makeSessions } from './conversations.js';
import { processorTime, processorTimeBelow } from './processor-time.js';
import { type Program } from './program.js';
import { type Rig } from './rig.js';
import { type Stack, startSimulator, startStack } from './stack.js';

/** Processor time that each process took, in milliseconds. */
export interface ProcessorTimes {
  standalone: number;
  postgres: number;
  simulator: number;
  load: number;
}

/** One round of load, and what it cost. */
export interface Round extends LoadReport {
  processor: ProcessorTimes;
}

/** Turns of a session are few, so that what the model is sent stays as short as what it is sent directly. */
const SESSIONS_PER_STREAM = 2;

/** Standalone and direct calls of the model that it calls, side by side, with one load generator for both. */
export class Versus {
  private constructor(
    private readonly stack: Stack,
    private readonly agent: string,
    private readonly programs: { simulator: Program; load: Program },
    private readonly direct: { origin: string; request: StreamRequest },
  ) {}

  /** @param model of the simulator, such as `sim-20-0`. */
  static async start(rig: Rig, model: string): Promise<Versus> {
    const { simulator, origin } = await startSimulator(rig);
    const stack = await startStack(rig, origin);
    const load = rig.start({
      script: fileURLToPath(new URL('../load/load-process.js', import.meta.url)),
      name: 'load',
    });
    const agent = await makeAgent(stack, model);
    return new Versus(stack, agent, { simulator, load }, { origin, request: chatRequest(model) });
  }

  /** The model is called directly. */
  async callDirectly(parallel: number, until: LoadPlan['until']): Promise<Round> {
    const { origin, request } = this.direct;
    const requests = Array.from({ length: parallel }, () => request);
    return await this.#measure({ kind: 'chat', origin, requests, parallel, until });
  }

  /** Turns of new sessions. */
  async runTurns(parallel: number, until: LoadPlan['until']): Promise<Round> {
    const requests = await makeSessions(this.stack, this.agent, parallel * SESSIONS_PER_STREAM);
    return await this.#measure({ kind: 'vectara', origin: this.stack.origin, requests, parallel, until });
  }

  /** A new session: what is returned acts so many turns of it, one after the other. */
  async oneSession(): Promise<(turns: number) => Promise<void>> {
    const requests = await makeSessions(this.stack, this.agent, 1);
    const plan = { kind: 'vectara', origin: this.stack.origin, requests, parallel: 1 } as const;
    return async (runs) => {
      await this.#measure({ ...plan, until: { runs } });
    };
  }

  /** Where standalone keeps its data. */
  get dataDirectory(): string {
    return this.stack.dataDirectory;
  }

  async #measure(plan: LoadPlan): Promise<Round> {
    const before = this.#processorTimes();
    const report = await this.programs.load.ask<LoadReport>(plan);
    const after = this.#processorTimes();
    const faults = Object.entries(report.faults);
    if (faults.length > 0)
      throw new Error(`streams failed: ${faults.map(([fault, n]) => `${n} × ${fault}`).join('; ')}`);
    const spent = (name: keyof ProcessorTimes): number => after[name] - before[name];
    const processor = {
      standalone: spent('standalone'),
      postgres: spent('postgres'),
      simulator: spent('simulator'),
      load: spent('load'),
    };
    return { ...report, processor };
  }

  #processorTimes(): ProcessorTimes {
    const { simulator, load } = this.programs;
    const { pid } = this.stack.program;
    return {
      standalone: processorTime(pid),
      postgres: processorTimeBelow(pid),
      simulator: processorTime(simulator.pid),
      load: processorTime(load.pid),
    };
  }
}
