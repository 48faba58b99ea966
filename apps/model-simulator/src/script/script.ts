import { z } from 'zod';
import { hasFixture } from '../fixture-book/fixture-book.js';
import { StrictMode } from '../rules/strict-modes.js';
import { ScriptStep } from './step.js';

/** Text that must be equal, or that a regular expression must find. */
const TextMatch = z.union(
  [
    z.string(),
    z
      .strictObject({ regex: z.string(), flags: z.string().optional() })
      .refine(({ regex, flags }) => isRegex(regex, flags), { error: 'must be a regular expression of JavaScript' }),
  ],
  { error: 'must be a string or { regex, flags }' },
);
export type TextMatch = z.infer<typeof TextMatch>;

/** A place in the body of the request: keys with dots, `[]` for any element, such as `messages[].tool_calls`. */
const BodyPath = z.string().regex(/^[^.[\]]+(\[\])*(\.[^.[\]]+(\[\])*)*$/);

/** Which requests a rule answers: all conditions given must hold. All but the last four are about the last message. */
const Match = z.strictObject({
  text: TextMatch.optional(),
  role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']).optional(),
  afterTool: TextMatch.optional(),
  model: TextMatch.optional(),
  stream: z.boolean().optional(),
  has: BodyPath.optional(),
  lacks: BodyPath.optional(),
});
export type Match = z.infer<typeof Match>;

/** How the bytes of a body are cut into writes: sizes that are used in turn, with a pause between writes. */
const Writes = z.strictObject({
  bytes: z.union([z.int().min(1), z.array(z.int().min(1)).min(1)]),
  pauseMs: z.int().min(0).max(86_400_000).optional(),
});
export type Writes = z.infer<typeof Writes>;

const Answer = z.array(ScriptStep).superRefine((steps, context) => {
  steps.forEach((step, index) => {
    const before = steps.slice(0, index);
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: [index], message });
    if (before.some((one) => 'end' in one || 'respond' in one || 'fixture' in one))
      refuse('is never played: the answer has ended before it');
    else if (('respond' in step || 'head' in step || 'fixture' in step) && !before.every((one) => 'wait' in one))
      refuse('comes too late: only waits may stand before it');
    if ('fixture' in step && !hasFixture(step.fixture)) refuse(`names no fixture of the book: ${step.fixture}`);
  });
});
export type Answer = z.infer<typeof Answer>;

const Rule = z.strictObject({
  /** Shown in the record of a request that this rule answered. */
  name: z.string().optional(),
  /** Absent: every request. */
  match: Match.optional(),
  /** How often the rule answers; then the next one that matches does. Absent: always. */
  times: z.int().min(1).optional(),
  answer: Answer,
  writes: Writes.optional(),
});
export type Rule = z.infer<typeof Rule>;

/**
 * What the simulator answers: the first rule that matches. A request that none matches gets the persona of its
 * `sim-…` model.
 */
export const Script = z.strictObject({
  rules: z.array(Rule),
  /** Keys beyond OpenAI's that requests may hold, such as `messages[].reasoning_content`. */
  extensions: z.array(BodyPath).optional(),
  /** What this provider refuses with 400 though OpenAI takes it. */
  strict: z.array(StrictMode).optional(),
});
export type Script = z.infer<typeof Script>;

function isRegex(source: string, flags?: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
