import { type CompletionUsage } from 'openai/resources/completions';
import { type Completion } from './completion.js';

/** Writes the server-sent events of one streamed completion as OpenAI does. */
export class ChunkEncoder {
  private readonly before: string;
  private readonly after: string;

  constructor(private readonly completion: Completion) {
    const head = JSON.stringify(completion.chunkHead()).slice(0, -1);
    this.before = `data: ${head},"choices":[{"index":0,"delta":`;
    this.after = `}]${completion.withUsage ? ',"usage":null' : ''}}\n\n`;
  }

  /** The chunk of a delta: any JSON, so that odd providers can be played. */
  delta(delta: unknown, finish: string | null = null): string {
    return `${this.before}${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}${this.after}`;
  }

  /** The last chunk of a stream that was asked for its usage: no choices. */
  usage(usage: CompletionUsage | Readonly<Record<string, unknown>>): string {
    return this.event({ ...this.completion.chunkHead(), choices: [], usage });
  }

  event(data: unknown, name?: string): string {
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
  }
}

/** The event after the last chunk. */
export const done = 'data: [DONE]\n\n';
