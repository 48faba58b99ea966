/** Where a text stops being JSON, counted in UTF-16 units from 0, and what should have stood there. */
export interface JsonSyntaxFault {
  at: number;
  expected: string;
}

/**
 * Finds what is wrong with a text that `JSON.parse` refused, since Node tells the position of some faults only. Nesting
 * was limited before, so it may recurse.
 */
export const jsonSyntaxFault = (text: string): JsonSyntaxFault => {
  const reader = new JsonReader(text);
  if (!reader.value()) return reader.fault;
  return reader.isAtEnd() ? { at: text.length, expected: 'nothing' } : { at: reader.at, expected: 'the end' };
};

const SPACE = /[ \t\n\r]*/y;
const WORD = /true|false|null/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class JsonReader {
  at = 0;
  #expected = 'a value';

  constructor(private readonly text: string) {}

  get fault(): JsonSyntaxFault {
    return { at: this.at, expected: this.#expected };
  }

  isAtEnd(): boolean {
    this.#skip(SPACE);
    return this.at >= this.text.length;
  }

  value(): boolean {
    this.#skip(SPACE);
    const char = this.text[this.at];
    if (char === '{') return this.#list('}', () => this.#member());
    if (char === '[') return this.#list(']', () => this.value());
    if (char === '"') return this.#string();
    return this.#skip(WORD) || this.#skip(NUMBER) || this.#miss('a value');
  }

  #member(): boolean {
    this.#skip(SPACE);
    if (this.text[this.at] !== '"') return this.#miss('a name in double quotes');
    if (!this.#string()) return false;
    this.#skip(SPACE);
    if (this.text[this.at] !== ':') return this.#miss("':'");
    this.at++;
    return this.value();
  }

  #list(end: string, item: () => boolean): boolean {
    this.at++;
    this.#skip(SPACE);
    if (this.text[this.at] === end) return this.#pass();
    for (;;) {
      if (!item()) return false;
      this.#skip(SPACE);
      if (this.text[this.at] === end) return this.#pass();
      if (this.text[this.at] !== ',') return this.#miss(`',' or '${end}'`);
      this.at++;
    }
  }

  #string(): boolean {
    this.at++;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) return this.#miss("'\"'");
      if (char === '"') return this.#pass();
      if (char < ' ') return this.#miss('an escape instead of a control character');
      if (char !== '\\') this.at++;
      else if (!this.#skip(ESCAPE)) return this.#miss('a known escape');
    }
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    this.at += match?.[0].length ?? 0;
    return match !== null;
  }

  #pass(): boolean {
    this.at++;
    return true;
  }

  #miss(expected: string): boolean {
    this.#expected = expected;
    return false;
  }
}
