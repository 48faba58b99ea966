import http from 'node:http';
import { EventSplitter } from './event-splitter.js';
import { type StreamRequest } from './load-plan.js';
import { type StreamMarks } from './stream-marks.js';

/** How one stream went, in milliseconds from its request. */
export interface StreamTimes {
  firstText: number;
  whole: number;
}

/** Where the request goes, over which connections, and what to look for in the answer. */
export interface StreamReading {
  origin: string;
  agent: http.Agent;
  marks: StreamMarks;
  /** Told of every event, when it was read. */
  onEvent?: (event: string) => void;
}

/** Sends a request and reads its stream to the end. Rejects unless that is a proper one, with text before it. */
export const readStream = (
  { path, headers, body }: StreamRequest,
  { origin, agent, marks, onEvent }: StreamReading,
): Promise<StreamTimes> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    let firstText = 0;
    let last = '';
    const splitter = new EventSplitter((event) => {
      if (firstText === 0 && marks.isText(event)) firstText = performance.now() - begun;
      if (marks.isFault(event)) reject(new Error(`the stream told of a failure: ${event}`));
      onEvent?.(event);
      last = event;
    });
    const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = http.request(origin + path, { method: 'POST', agent, headers: { ...length, ...headers } });
    request.on('error', reject);
    request.on('response', (response) => {
      response.setEncoding('utf8').on('error', reject);
      response.on('data', (text: string) => splitter.push(text));
      response.on('end', () => {
        if (firstText > 0 && marks.isEnd(last)) resolve({ firstText, whole: performance.now() - begun });
        else reject(new Error(`HTTP ${response.statusCode}: the stream ended with ${last.slice(0, 200) || 'nothing'}`));
      });
    });
    request.end(body);
  });
