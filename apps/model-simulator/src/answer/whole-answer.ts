import { ApiError } from '../http/api-error.js';
import {
  type Call,
  type End,
  type Finish,
  type Head,
  type Raw,
  type Refuse,
  type Respond,
  type Say,
  type Step,
  type StepPlayer,
  type Think,
  type Tokens,
  type Usage,
  type Wait,
  playStep,
} from '../script/step.js';
import { type Act } from './act.js';
import { type Completion } from './completion.js';
import { argumentsText, headOf, rawBytes, respondTo } from './step-bytes.js';
import { tokensOf } from './tokens.js';

/** Plays an answer to a request that is not streamed: the same steps and times, and one JSON body at the end. */
export class WholeAnswer implements StepPlayer<Iterable<Act>> {
  private content: string | null = null;
  private refusal: string | null = null;
  private readonly reasoning: Record<string, string> = {};
  private readonly calls: object[] = [];
  private tokens = 0;
  private finishReason: string | null | undefined;
  private reported: Usage['usage'] | undefined;
  private written = false;

  constructor(private readonly completion: Completion) {}

  /** The acts of an answer. Throws ApiError 500 if it has steps that only a stream can show. */
  play(steps: readonly Step[]): Iterable<Act> {
    if (steps.some((step) => 'delta' in step || 'event' in step)) {
      const message = `The script's answer has a 'delta' or an 'event': it can only be played to a request with stream: true.`;
      throw new ApiError(500, { message, type: 'server_error', code: 'script_needs_stream' });
    }
    return this.acts(steps);
  }

  *say({ say, delayMs }: Say): Generator<Act> {
    this.content = (this.content ?? '') + (yield* this.spoken(say, delayMs));
  }

  *think({ think, key = 'reasoning_content', delayMs }: Think): Generator<Act> {
    this.reasoning[key] = (this.reasoning[key] ?? '') + (yield* this.spoken(think, delayMs));
  }

  *refuse({ refuse, delayMs }: Refuse): Generator<Act> {
    this.refusal = (this.refusal ?? '') + (yield* this.spoken(refuse, delayMs));
  }

  *call(step: Call): Generator<Act> {
    const id = step.id ?? this.completion.callId(this.calls.length);
    const text = argumentsText(step.arguments);
    this.calls.push({ id, type: 'function', function: { name: step.call, arguments: text } });
    this.tokens += step.pieces ?? 1;
    if (step.delayMs) yield { do: 'wait', ms: step.delayMs * ((step.pieces ?? 1) - 1) };
  }

  *wait({ wait }: Wait): Generator<Act> {
    yield { do: 'wait', ms: wait };
  }

  /** `play` refuses answers with chunks and events of their own. */
  delta(): Iterable<Act> {
    return [];
  }

  event(): Iterable<Act> {
    return [];
  }

  /** The body is then what the script writes, not a completion. */
  *raw(step: Raw): Generator<Act> {
    this.written = true;
    yield { do: 'send', data: rawBytes(step), tokens: 0 };
  }

  finish({ finish }: Finish): Iterable<Act> {
    this.finishReason = finish;
    return [];
  }

  usage({ usage }: Usage): Iterable<Act> {
    this.reported = usage;
    return [];
  }

  *head(step: Head): Generator<Act> {
    yield headOf(step);
  }

  *respond(step: Respond): Generator<Act> {
    yield respondTo(step);
  }

  *end({ end }: End): Generator<Act> {
    yield { do: end };
  }

  private *acts(steps: readonly Step[]): Generator<Act> {
    for (const step of steps) yield* playStep(step, this);
    if (!this.written) yield respondTo({ respond: { status: 200, body: this.body() } }, this.tokens);
  }

  /** Takes the time that a stream of this text takes; gives the text. */
  private *spoken(text: Tokens, delayMs = 0): Generator<Act, string> {
    const tokens = tokensOf(text);
    this.tokens += tokens.length;
    if (delayMs > 0 && tokens.length > 1) yield { do: 'wait', ms: delayMs * (tokens.length - 1) };
    return tokens.join('');
  }

  private body(): object {
    const finish =
      this.finishReason === undefined ? (this.calls.length > 0 ? 'tool_calls' : 'stop') : this.finishReason;
    const usage = this.reported === undefined ? this.completion.usage(this.tokens) : this.reported;
    const message = {
      role: 'assistant',
      content: this.content,
      refusal: this.refusal,
      ...this.reasoning,
      ...(this.calls.length > 0 ? { tool_calls: this.calls } : {}),
    };
    const choice = { index: 0, message, logprobs: null, finish_reason: finish };
    return { ...this.completion.wholeHead(), choices: [choice], ...(usage ? { usage } : {}) };
  }
}
