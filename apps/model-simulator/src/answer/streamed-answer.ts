import {
  type Call,
  type Delta,
  type End,
  type Event,
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
import { ChunkEncoder, done } from './chunk-encoder.js';
import { type Completion } from './completion.js';
import { argumentsText, headOf, rawBytes, respondTo } from './step-bytes.js';
import { piecesOf, tokensOf } from './tokens.js';

/** Plays an answer as a stream of chunks, shaped and ordered as OpenAI's. */
export class StreamedAnswer implements StepPlayer<Iterable<Act>> {
  private readonly chunks: ChunkEncoder;
  private begun = false;
  private tokens = 0;
  private calls = 0;
  private finished = false;
  private reported: Usage['usage'] | undefined;

  constructor(private readonly completion: Completion) {
    this.chunks = new ChunkEncoder(completion);
  }

  /** The acts of an answer, and after its last step what any answer ends with: finish, usage if asked for, `[DONE]`. */
  *play(steps: readonly Step[]): Generator<Act> {
    for (const step of steps) yield* playStep(step, this);
    yield* this.begin('');
    if (!this.finished) yield* this.finish({ finish: this.calls > 0 ? 'tool_calls' : 'stop' });
    const usage = this.reported === undefined ? this.completion.usage(this.tokens) : this.reported;
    if (this.completion.withUsage && usage) yield send(this.chunks.usage(usage));
    yield send(done);
  }

  *say({ say, delayMs }: Say): Generator<Act> {
    yield* this.begin('');
    yield* this.each(say, delayMs, (content) => ({ content }));
  }

  *think({ think, key = 'reasoning_content', delayMs }: Think): Generator<Act> {
    yield* this.begin(null);
    yield* this.each(think, delayMs, (text) => ({ content: null, [key]: text }));
  }

  *refuse({ refuse, delayMs }: Refuse): Generator<Act> {
    yield* this.begin(null);
    yield* this.each(refuse, delayMs, (refusal) => ({ refusal }));
  }

  *call(step: Call): Generator<Act> {
    yield* this.begin(null);
    const index = this.calls++;
    const id = step.id ?? this.completion.callId(index);
    const call = { index, id, type: 'function', function: { name: step.call, arguments: '' } };
    yield send(this.chunks.delta({ tool_calls: [call] }));
    const pieces = piecesOf(argumentsText(step.arguments), step.pieces ?? 1);
    yield* this.each(pieces, step.delayMs, (piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] }));
  }

  *wait({ wait }: Wait): Generator<Act> {
    yield { do: 'wait', ms: wait };
  }

  *delta({ delta }: Delta): Generator<Act> {
    yield* this.asIs(this.chunks.delta(delta), 1);
  }

  *event({ event, name }: Event): Generator<Act> {
    yield* this.asIs(this.chunks.event(event, name));
  }

  *raw(step: Raw): Generator<Act> {
    yield* this.asIs(rawBytes(step));
  }

  *finish({ finish }: Finish): Generator<Act> {
    yield* this.begin('');
    this.finished = true;
    if (finish !== null) yield send(this.chunks.delta({}, finish));
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

  /** The chunk with the role, once, unless the script has begun the stream by itself. */
  private *begin(content: '' | null): Generator<Act> {
    if (this.begun) return;
    this.begun = true;
    yield send(this.chunks.delta({ role: 'assistant', content, refusal: null }));
  }

  private *each(text: Tokens, delayMs: number | undefined, delta: (token: string) => object): Generator<Act> {
    let first = true;
    for (const token of tokensOf(text)) {
      if (delayMs && !first) yield { do: 'wait', ms: delayMs };
      first = false;
      this.tokens += 1;
      yield send(this.chunks.delta(delta(token)), 1);
    }
  }

  /** What the script wrote itself; the stream has begun with it. */
  private *asIs(data: string | Uint8Array, tokens = 0): Generator<Act> {
    this.begun = true;
    this.tokens += tokens;
    yield send(data, tokens);
  }
}

function send(data: string | Uint8Array, tokens = 0): Act {
  return { do: 'send', data, tokens };
}
