import { readdirSync, readFileSync } from 'node:fs';
import { type CallId } from '@parley/core';
import fc from 'fast-check';
import { ReplyAssembly } from './reply-assembly.js';
import { SseReader } from '../stream/sse-reader.js';

const fixtures = new URL('../fixtures/', import.meta.url);
const LIMITS = { eventBytes: 1_000_000, answerBytes: 10_000_000 };

/** All that can be seen of an answer whose bytes come in these pieces. */
const assemble = (chunks: Iterable<Buffer>): unknown => {
  const heard: string[] = [];
  const assembly = new ReplyAssembly((part, _type, text) => (heard[part] = (heard[part] ?? '') + text));
  const reader = new SseReader((data, name) => assembly.take(data, name), LIMITS);
  try {
    for (const chunk of chunks) reader.push(chunk);
    reader.end();
    assembly.end();
  } catch (error) {
    return error;
  }
  const reply = assembly.reply((index) => `call-${index}` as CallId);
  reply?.parts.forEach((part, index) => {
    if (part.type === 'text' || part.type === 'reasoning') expect(heard[index]).toBe(part.text);
  });
  return { reply, heard, whole: assembly.whole, model: assembly.model, usage: assembly.usage(100) };
};
const chunk = (delta: unknown, finish: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
};

describe('ReplyAssembly', () => {
  test.each(readdirSync(fixtures).filter((name) => name.endsWith('.sse')))(
    'makes the same of %s however its bytes are cut',
    (name) => {
      const bytes = readFileSync(new URL(name, fixtures));
      const whole = assemble([bytes]);
      expect(assemble([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
      fc.assert(
        fc.property(fc.array(fc.nat(), { maxLength: 30 }), (places) => {
          expect(assemble(cut(bytes, places))).toEqual(whole);
        }),
        { numRuns: 30 },
      );
    },
  );

  test('shows, piece by piece, exactly the text that the reply holds, whatever is said', () => {
    const said = fc.array(
      fc.tuple(fc.constantFrom('content', 'reasoning', 'reasoning_content'), fc.string({ unit: 'binary' })),
    );
    const halves = fc.array(fc.tuple(fc.constant('content'), fc.constantFrom('\ud83d', '\ude00', 'a', '\u0000', '')));
    fc.assert(
      fc.property(fc.oneof(said, halves), fc.array(fc.nat(), { maxLength: 10 }), (pieces, places) => {
        const stream = [...pieces.map(([field, text]) => chunk({ [field]: text })), chunk({}, 'length')].join('');
        const { reply, heard } = assemble(cut(Buffer.from(stream), places)) as {
          reply: { parts: { type: string; text: string }[] };
          heard: string[];
        };
        const text = pieces.flatMap(([field, piece]) => (field === 'content' ? [piece] : [])).join('');
        const expected = text.toWellFormed().replaceAll('\0', '\uFFFD');
        expect(reply.parts.find(({ type }) => type === 'text')?.text ?? '').toBe(expected);
        for (const piece of heard) expect(piece.isWellFormed()).toBe(true);
      }),
    );
  });

  test('never shows half of a surrogate pair', () => {
    const shown: string[] = [];
    const assembly = new ReplyAssembly((_part, _type, text) => shown.push(text));
    for (const piece of ['a\ud83d', '\ude00b', '\ud83d']) {
      assembly.take(JSON.stringify({ choices: [{ delta: { content: piece } }] }));
    }
    assembly.end();
    expect(shown).toEqual(['a', '😀b', '', '\uFFFD']);
  });

  test('survives any garbage: what is thrown is a fault of the model', () => {
    const json = fc.json({ maxDepth: 4 });
    const odd = fc.record({
      choices: fc.array(fc.record({ index: fc.jsonValue(), delta: fc.jsonValue(), finish_reason: fc.jsonValue() })),
    });
    const oddDelta = fc.record(
      { content: fc.jsonValue(), tool_calls: fc.jsonValue(), reasoning: fc.jsonValue(), refusal: fc.jsonValue() },
      { requiredKeys: [] },
    );
    const event = fc.oneof(
      json,
      odd.map((value) => JSON.stringify(value)),
      oddDelta.map((delta) => chunk(delta).slice(6)),
    );
    fc.assert(
      fc.property(fc.array(event), fc.uint8Array(), (events, bytes) => {
        const stream = Buffer.concat([Buffer.from(events.map((data) => `data: ${data}\n\n`).join('')), bytes]);
        const made = assemble([stream]);
        if (made instanceof Error) expect(made.name).toBe('ModelFault');
      }),
      { numRuns: 500 },
    );
  });
});
