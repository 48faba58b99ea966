import { type CreateParams } from '../params/create-params.js';
import { messageText } from '../script/matches.js';
import { type Step } from '../script/step.js';
import { type SimModel } from './sim-model.js';
import { tokensOf } from './tokens.js';

const introduction = tokensOf(`I am Parley's built-in simulator, not a language model.`);
const filler = tokensOf(
  ` Nobody has thought about these words: they are here to fill the line, so that you can see a stream move.`,
);
const echoedTokens = 12;
const echoedCharacters = 120;

/**
 * What a built-in model answers: exactly as many tokens as its name says, which say what they are so that nobody takes
 * them for a model's, and repeat the start of the user's last message. Shorter by `max_tokens` and `stop`.
 */
export function persona(model: SimModel, params: CreateParams): Step[] {
  const limit = params.max_completion_tokens ?? params.max_tokens ?? Infinity;
  const wanted = Math.min(model.tokens, limit);
  const opening = [...introduction, ...echo(params)];
  const said: string[] = Array.from(
    { length: wanted },
    (_, at) => opening[at] ?? repeated(filler, at - opening.length),
  );
  const text = said.join('');
  const end = firstStop(text, params.stop ?? []);
  return end === undefined
    ? [{ say: said, delayMs: model.delayMs }, { finish: wanted < model.tokens ? 'length' : 'stop' }]
    : [{ say: [...tokensOf(text.slice(0, end))], delayMs: model.delayMs }, { finish: 'stop' }];
}

function repeated(tokens: readonly string[], at: number): string {
  return tokens[at % tokens.length] ?? '';
}

function echo({ messages }: CreateParams): readonly string[] {
  const text = messageText(messages.findLast(({ role }) => role === 'user'));
  const start = Array.from(text?.trim().slice(0, 4 * echoedCharacters) ?? '')
    .slice(0, echoedCharacters)
    .join('');
  const words = tokensOf(start).slice(0, echoedTokens).join('');
  return words === '' ? [] : tokensOf(` You said: "${words}${words === text?.trim() ? '' : ' ...'}".`);
}

/** Where the first of the stop sequences begins. */
function firstStop(text: string, stop: string | readonly string[]): number | undefined {
  const starts = [stop].flat().map((sequence) => (sequence === '' ? -1 : text.indexOf(sequence)));
  const found = starts.filter((at) => at >= 0);
  return found.length > 0 ? Math.min(...found) : undefined;
}
