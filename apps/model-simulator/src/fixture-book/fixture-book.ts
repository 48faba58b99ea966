import { type CreateParams } from '../params/create-params.js';
import { type Rule, type Writes } from '../script/script.js';
import { contents } from './contents.js';
import { endings } from './endings.js';
import { errors } from './errors.js';
import { type Fixture } from './fixture.js';
import { framing } from './framing.js';
import { probabilities } from './probabilities.js';
import { toolCalls } from './tool-calls.js';

/** Every odd answer that the simulator knows, with what must become of it. */
export const fixtures: readonly Fixture[] = [
  ...framing,
  ...contents,
  ...probabilities,
  ...toolCalls,
  ...endings,
  ...errors,
];

const byModel = new Map(fixtures.map((fixture) => [`fixture-${fixture.name}`, fixture]));

/** What stands behind a fixture's name: `:tool`, `:bytes`, `:cuts-<seed>`. */
const modelName = /^(?<name>[^:]+)(?<tool>:tool)?(:(?<bytes>bytes)|:cuts-(?<seed>\d{1,9}))?$/;

/**
 * What the model `fixture-<name>` answers. With tools in the request or `:tool` behind the name it is the fixture's
 * call, where it has one. `:bytes` writes single bytes, `:cuts-<seed>` writes of random sizes. Once it was answered,
 * or said as often as it says: `Done.` Undefined: no such model.
 */
export function fixtureRule({ model, messages, tools = [] }: CreateParams): Rule | undefined {
  const { name = '', tool, bytes, seed } = modelName.exec(model)?.groups ?? {};
  const fixture = byModel.get(name);
  if (!fixture) return undefined;
  const spoken = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const turns = spoken.filter(({ role }) => role === 'assistant').length;
  if (turns >= (fixture.turns ?? 1)) return { name, answer: [{ say: 'Done.' }] };
  const take = (tool || tools.length > 0 ? fixture.tool : undefined) ?? fixture.text;
  const writes = fixture.writes ?? (bytes ? { bytes: 1 } : seed ? randomWrites(Number(seed)) : undefined);
  return { name, answer: take.answer(), ...(writes && { writes }) };
}

/** The same sizes for the same seed: mostly a few bytes, some of a whole event and more. */
function randomWrites(seed: number): Writes {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return { bytes: Array.from({ length: 97 }, () => 1 + Math.floor(next() ** 3 * 400)) };
}
