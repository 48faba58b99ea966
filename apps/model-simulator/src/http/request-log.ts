/** What became of a request. `aborted`: the client (or `stop()`) closed the connection before the answer's end. */
export type RequestOutcome = 'open' | 'answered' | 'reset' | 'aborted';

/** A request that reached the simulator, as tests read it. Times are milliseconds since the epoch. */
export interface RecordedRequest {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** Lower-case names; without the API key. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it came; empty until it is whole. */
  readonly text: string;
  /** The body as JSON; undefined if it is none. */
  readonly body: unknown;
  readonly receivedAt: number;
  readonly closedAt: number | undefined;
  /** The HTTP status; undefined while no head was sent. */
  readonly status: number | undefined;
  /** The name of the script's rule that answered. */
  readonly rule: string | undefined;
  /** Tokens of the answer that were handed to the connection. */
  readonly tokensSent: number;
  readonly outcome: RequestOutcome;
}

/** The record of a request in the making. */
export class RequestEntry {
  text = '';
  closedAt: number | undefined;
  status: number | undefined;
  rule: string | undefined;
  tokensSent = 0;
  outcome: RequestOutcome = 'open';
  private readonly receivedAt = Date.now();

  constructor(
    private readonly number: number,
    private readonly request: Pick<RecordedRequest, 'method' | 'path' | 'headers'>,
  ) {}

  /** The first outcome counts: a connection that we reset is also seen to close. */
  close(outcome: RequestOutcome): void {
    if (this.outcome !== 'open') return;
    this.outcome = outcome;
    this.closedAt = Date.now();
  }

  read(): RecordedRequest {
    const { number, text, receivedAt, closedAt, status, rule, tokensSent, outcome } = this;
    const { authorization: _, ...headers } = this.request.headers;
    const { method, path } = this.request;
    return {
      ...{ number, method, path, headers, text, body: parsed(text) },
      ...{ receivedAt, closedAt, status, rule, tokensSent, outcome },
    };
  }
}

const charactersKept = 32 * 1024 * 1024;

/** The last requests: at most `limit`, fewer when bodies are long, so that no benchmark fills the memory. */
export class RequestLog {
  private readonly entries: RequestEntry[] = [];
  private count = 0;
  private characters = 0;

  constructor(private readonly limit: number) {}

  open(request: Pick<RecordedRequest, 'method' | 'path' | 'headers'>): RequestEntry {
    const entry = new RequestEntry(++this.count, request);
    this.entries.push(entry);
    this.dropOld();
    return entry;
  }

  /** Adds the body to its entry. */
  keepText(entry: RequestEntry, text: string): void {
    entry.text = text;
    this.characters += text.length;
    this.dropOld();
  }

  read(): RecordedRequest[] {
    return this.entries.map((entry) => entry.read());
  }

  private dropOld(): void {
    while (this.entries.length > this.limit || (this.characters > charactersKept && this.entries.length > 1)) {
      this.characters -= this.entries.shift()?.text.length ?? 0;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
