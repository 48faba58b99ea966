import { type CreateParams } from '../params/create-params.js';
import { type Rule, type Writes } from '../script/script.js';
import { type Step } from '../script/step.js';
import { contents } from './contents.js';
import { endings } from './endings.js';
import { errors } from './errors.js';
import { type Fixture, type Take } from './fixture.js';
import { framing } from './framing.js';
import { otherForms } from './other-forms.js';
import { probabilities } from './probabilities.js';
import { toolCalls } from './tool-calls.js';

/** Every odd answer that the simulator knows, with what must become of it. */
export const fixtures: readonly Fixture[] = [
  ...framing,
  ...contents,
  ...probabilities,
  ...toolCalls,
  ...endings,
  ...otherForms,
  ...errors,
];

/** A rule as it is played. */
export type Played = Pick<Rule, 'name' | 'writes'> & { answer: Step[] };

const byName = new Map(fixtures.map((fixture) => [fixture.name, fixture]));

/** Whether the book has a fixture of this name. */
export const hasFixture = (name: string): boolean => byName.has(name);

/** What stands behind a fixture's name: `:tool`, `:bytes`, `:cuts-<seed>`. */
const modelName = /^fixture-(?<fixtureName>[^:]+)(?<tool>:tool)?(:(?<bytes>bytes)|:cuts-(?<seed>\d{1,9}))?$/;

/**
 * What the model `fixture-<name>` answers. With tools in the request or `:tool` behind the name it is the fixture's
 * call, where it has one. `:bytes` writes single bytes, `:cuts-<seed>` writes of random sizes. Once it was answered,
 * or said as often as it says: `Done.` Undefined: no such model.
 */
export function fixtureRule({ model, messages, tools = [] }: CreateParams): Played | undefined {
  const { fixtureName = '', tool, bytes, seed } = modelName.exec(model)?.groups ?? {};
  const fixture = byName.get(fixtureName);
  if (!fixture) return undefined;
  const name = `fixture-${fixtureName}`;
  const spoken = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const turns = spoken.filter(({ role }) => role === 'assistant').length;
  if (turns >= (fixture.turns ?? 1)) return { name, answer: [{ say: 'Done.' }] };
  const writes = fixture.writes ?? (bytes ? { bytes: 1 } : seed ? randomWrites(Number(seed)) : undefined);
  return { name, answer: takeOf(fixture, tool !== undefined || tools.length > 0).answer(), ...(writes && { writes }) };
}

/** A rule of a script for this request: a fixture becomes its steps, in its own writes where the rule has none. */
export function played({ name, answer, writes }: Rule, { tools = [] }: CreateParams): Played {
  const fixtures = answer.flatMap((step) => ('fixture' in step ? [known(step.fixture)] : []));
  const steps = answer.flatMap((step) =>
    'fixture' in step ? takeOf(known(step.fixture), step.tool ?? tools.length > 0).answer() : [step],
  );
  return { name, answer: steps, writes: writes ?? fixtures[0]?.writes };
}

function known(name: string): Fixture {
  const fixture = byName.get(name);
  if (fixture) return fixture;
  throw new Error(`No fixture of the book is called '${name}'.`);
}

function takeOf({ text, tool }: Fixture, calls: boolean): Take {
  return (calls ? tool : undefined) ?? text;
}

/** The same sizes for the same seed: mostly a few bytes, some of a whole event and more. */
function randomWrites(seed: number): Writes {
  let state = seed;
  const next = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return { bytes: Array.from({ length: 97 }, () => 1 + Math.floor(next() ** 3 * 400)) };
}
