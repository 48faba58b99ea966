import { hash } from 'node:crypto';
import { type ChatCompletion, type ChatCompletionChunk } from 'openai/resources/chat/completions';
import { type CompletionUsage } from 'openai/resources/completions';
import { type AskedCompletion } from '../script/matches.js';
import { promptTokens } from './prompt-tokens.js';

/** One answer in the making: what all of its chunks share. The same body gets the same ids. */
export class Completion {
  readonly model: string;
  readonly id: string;
  private readonly digest: string;
  private readonly created = Math.floor(Date.now() / 1000);

  constructor(private readonly asked: AskedCompletion) {
    this.model = asked.params.model;
    this.digest = hash('sha1', asked.body, 'hex');
    this.id = `chatcmpl-${this.digest}`;
  }

  get withUsage(): boolean {
    return this.asked.params.stream_options?.include_usage === true;
  }

  /** Within OpenAI's 40 characters. */
  callId(position: number): string {
    return `call_${this.digest.slice(0, 24)}${position}`;
  }

  usage(completionTokens: number): CompletionUsage {
    const prompt = promptTokens(this.asked.params);
    return {
      prompt_tokens: prompt,
      completion_tokens: completionTokens,
      total_tokens: prompt + completionTokens,
    };
  }

  /** What every chunk of the stream begins with. */
  chunkHead(): Omit<ChatCompletionChunk, 'choices'> {
    return { ...this.head(), object: 'chat.completion.chunk' };
  }

  /** What the answer that is not streamed begins with. */
  wholeHead(): Omit<ChatCompletion, 'choices'> {
    return { ...this.head(), object: 'chat.completion' };
  }

  private head() {
    return {
      id: this.id,
      created: this.created,
      model: this.model,
      service_tier: 'default',
      system_fingerprint: 'fp_simulator',
    } as const;
  }
}
