import http from 'node:http';
import { answerParent } from '../rig/answer-parent.js';
import { type StreamKind, type StreamRequest } from './load-plan.js';
import { PacedModel } from './paced-model.js';
import { readStream } from './read-stream.js';
import { STREAM_MARKS } from './stream-marks.js';

/** What the process is asked: where its model is, or to read streams of that model and say how they ended. */
export type EndingAsk =
  { what: 'model' } | { what: 'endings'; kind: StreamKind; origin: string; request: StreamRequest; runs: number };

/** How streams ended: milliseconds after the model's last byte, one entry a stream; bytes of each event with text. */
export interface EndingReport {
  lastText: number[];
  terminal: number[];
  /** Of an event with text, all but the text itself, on the wire. */
  overhead: number[];
}

const model = await PacedModel.start();
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** Model and reader share this process, and so a clock. */
answerParent(async (ask: EndingAsk): Promise<string | EndingReport> => {
  if (ask.what === 'model') return model.origin;
  const report: EndingReport = { lastText: [], terminal: [], overhead: [] };
  for (let run = 0; run < ask.runs; run++) await readOne(ask, report);
  return report;
});

const readOne = async (
  { kind, origin, request }: Extract<EndingAsk, { what: 'endings' }>,
  { lastText, terminal, overhead }: EndingReport,
): Promise<void> => {
  const marks = STREAM_MARKS[kind];
  let [text, end] = [0, 0];
  const onEvent = (event: string): void => {
    if (marks.isText(event)) {
      text = performance.now();
      overhead.push(overheadOf(event, kind));
    } else if (marks.isEnd(event)) end = performance.now();
  };
  await readStream(request, { origin, agent, marks, onEvent });
  lastText.push(text - model.lastByteAt);
  terminal.push(end - model.lastByteAt);
};

/** The event with the blank line behind it, in an HTTP chunk of its own. */
const overheadOf = (event: string, kind: StreamKind): number => {
  const bytes = Buffer.byteLength(event) + 2;
  const framing = bytes.toString(16).length + 4;
  return bytes + framing - Buffer.byteLength(contentOf(event, kind));
};

const contentOf = (event: string, kind: StreamKind): string => {
  const data = JSON.parse(event.slice(event.indexOf('data: ') + 6)) as {
    content?: string;
    choices?: { delta: { content?: string } }[];
  };
  return (kind === 'chat' ? data.choices?.[0]?.delta.content : data.content) ?? '';
};
