import { type StrictMode } from '../rules/strict-modes.js';
import { type AskedCompletion, matches, matchesText } from './matches.js';
import { type Rule, type Script } from './script.js';

/** A script in use: knows how often each of its rules may still answer. */
export class ScriptBook {
  private readonly pages: { rule: Rule; timesLeft: number }[];

  constructor(private readonly script: Script) {
    this.pages = script.rules.map((rule) => ({ rule, timesLeft: rule.times ?? Infinity }));
  }

  /** Keys beyond OpenAI's that requests may hold. */
  get extensions(): readonly string[] {
    return this.script.extensions ?? [];
  }

  /** What requests are refused for beyond OpenAI's own rules. */
  get strict(): readonly StrictMode[] {
    return this.script.strict ?? [];
  }

  /** The models that rules name. */
  get models(): string[] {
    const named = this.script.rules.map(({ match }) => match?.model).filter((model) => typeof model === 'string');
    return [...new Set(named)];
  }

  /** Whether a rule is about this very model. */
  names(model: string): boolean {
    return this.script.rules.some(({ match }) => match?.model !== undefined && matchesText(match.model, model));
  }

  /** Finds the rule that answers this request and uses it up by one. */
  take(asked: AskedCompletion): Rule | undefined {
    const page = this.pages.find(({ rule, timesLeft }) => timesLeft > 0 && matches(rule.match ?? {}, asked));
    if (page) page.timesLeft -= 1;
    return page?.rule;
  }
}
