import http from 'node:http';
import { type LoadPlan, type LoadReport, type StreamRequest } from './load-plan.js';
import { readStream } from './read-stream.js';
import { STREAM_MARKS } from './stream-marks.js';

/** More kinds of faults than anybody reads. */
const MAX_FAULTS = 5;

/** Keeps so many streams under way until the plan is over, and waits for the last of them. */
export const generateLoad = async (plan: LoadPlan): Promise<LoadReport> => {
  const { kind, origin, parallel, until } = plan;
  const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
  const reading = { origin, agent, marks: STREAM_MARKS[kind] };
  const report: LoadReport = { ms: 0, firstText: [], whole: [], faults: {} };
  const idle = [...plan.requests];
  const begun = performance.now();
  let left = 'runs' in until ? until.runs : Infinity;
  const isOver = (): boolean => left-- <= 0 || ('ms' in until && performance.now() - begun > until.ms);
  const work = async (): Promise<void> => {
    while (!isOver()) await readNext(idle, (request) => readStream(request, reading), report);
  };
  await Promise.all(Array.from({ length: parallel }, work));
  agent.destroy();
  return { ...report, ms: performance.now() - begun };
};

const readNext = async (
  idle: StreamRequest[],
  read: (request: StreamRequest) => ReturnType<typeof readStream>,
  { firstText, whole, faults }: LoadReport,
): Promise<void> => {
  const request = idle.shift();
  if (!request) throw new Error('a plan needs as many requests as are to be under way');
  try {
    const times = await read(request);
    firstText.push(times.firstText);
    whole.push(times.whole);
  } catch (error) {
    const fault = String(error);
    if (fault in faults || Object.keys(faults).length < MAX_FAULTS) faults[fault] = (faults[fault] ?? 0) + 1;
  }
  idle.push(request);
};
