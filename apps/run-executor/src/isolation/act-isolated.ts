import { Worker } from 'node:worker_threads';
import { getAgentVersion } from '@parley/contracts';
import { InProcessBus, InProcessFrames, InProcessHub } from '@parley/messaging';
import { PartBlobs } from '@parley/persistence';
import { Registration } from '../executor/registration.js';
import { AgentVersions } from '../loop/agent-versions.js';
import { Announcer } from '../loop/announcer.js';
import { LoopTools } from '../loop/loop-tools.js';
import { type Model } from '../loop/model.js';
import { RunLoop } from '../loop/run-loop.js';
import { Transcripts } from '../loop/transcripts.js';
import { LIFELINE } from './isolated-process.js';
import { type Task, type ToChild, type ToParent } from './messages.js';
import { ParentBlobs } from './parent-blobs.js';
import { ParentLine } from './parent-line.js';
import { ParentPermits } from './parent-permits.js';

/** How often the run's clock is looked at, and every how many times the parent is shown that this process lives. */
const PULSE_MS = 250;
const BEAT_EVERY = 4;

/** Ends this process with its parent even while a run keeps its event loop busy: a thread of its own watches the pipe. */
const WATCH = `
  const { Socket } = require('node:net');
  const lifeline = new Socket({ fd: ${LIFELINE}, readable: true, writable: false });
  lifeline.on('error', () => undefined).on('close', () => process.kill(process.pid, 'SIGKILL')).resume();
`;

/**
 * The whole life of a child process: it hears which run it is to act, acts it by the code of every executor, and ends.
 * What it writes, shows and asks goes through its parent, whose fence and lease it acts under.
 */
export const actIsolated = (modelOf: (settings: unknown) => Model): void => {
  new Worker(WATCH, { eval: true, execArgv: [] }).unref();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined); // meant for the parent, which decides
  const line = new ParentLine(send);
  let registration: Registration | undefined;
  process.on('message', (message: ToChild) => {
    switch (message.kind) {
      case 'act':
        registration = registrationOf(line, message.task, modelOf(message.task.settings));
        return void act(registration, message.task).then(() => send({ kind: 'done' }, () => process.exit()));
      case 'answer':
        return line.hear(message);
      case 'nudge':
        return registration?.nudge(message);
      case 'hand_back':
        return registration?.leave();
    }
  });
  line.tell({ kind: 'ready' });
};

const send = (message: ToParent, sent?: () => void): void => {
  process.send?.(message, undefined, undefined, () => sent?.());
};

const registrationOf = (line: ParentLine, { claimed, executor, agent }: Task, model: Model): Registration => {
  const hub = new InProcessHub();
  hub.serve(getAgentVersion.subject, async () => JSON.stringify(agent));
  const frames = new InProcessFrames();
  frames.subscribe(claimed, (batch) => line.tell({ kind: 'frames', batch }));
  const announcer = new Announcer(frames, new ParentPermits(line));
  const { log } = line;
  const transcripts = new Transcripts(log, new PartBlobs(new ParentBlobs(line)));
  const tools = new LoopTools(log, model, new AgentVersions(new InProcessBus(hub)), transcripts, announcer);
  // Not known to be alive until the parent has answered for the first time.
  return new Registration({ tools, executor, act: (run, lease) => new RunLoop(tools, run, lease) }, -Infinity);
};

const act = async (registration: Registration, { claimed }: Task): Promise<void> => {
  let pulses = 0;
  const pulse = setInterval(() => {
    registration.tick();
    if (++pulses % BEAT_EVERY === 0) void registration.lease.beat();
  }, PULSE_MS);
  await registration.lease.beat();
  await registration.hold(claimed);
  clearInterval(pulse);
};
