/** A request whose answer is a stream of server-sent events. */
export interface StreamRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** The two kinds of streams that are read: of a model, and of a Parley session in the Vectara dialect. */
export type StreamKind = 'chat' | 'vectara';

/** What the load generator is to do. Each of `requests` is under way once at a time; they are used in turn. */
export interface LoadPlan {
  kind: StreamKind;
  /** `http://host:port` */
  origin: string;
  requests: StreamRequest[];
  /** Streams under way at any time; at most as many as requests. */
  parallel: number;
  /** When no more streams are begun: after so many of them, or so many milliseconds. */
  until: { runs: number } | { ms: number };
}

/** What came of it. Times in milliseconds, one entry a stream that came to its proper end. */
export interface LoadReport {
  /** From the first request to the end of the last stream. */
  ms: number;
  /** From the request to the first text. */
  firstText: number[];
  /** From the request to the end of the stream. */
  whole: number[];
  /** What went wrong, once each, with how often. */
  faults: Record<string, number>;
}
