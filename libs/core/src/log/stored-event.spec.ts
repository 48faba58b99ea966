import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { EventBody } from './event.js';
import { legalLogs } from './legal-logs.contract.js';
import { EVENT_VERSIONS, fromStored, toStored } from './stored-event.js';

const FIXTURES = new URL('./fixtures/', import.meta.url);

/** A payload as some version wrote it, and the body that it must be read as for ever. Fixtures are never changed. */
interface Fixture {
  payload: Record<string, unknown>;
  reads: unknown;
}

const versions = Object.entries(EVENT_VERSIONS).flatMap(([kind, newest]) =>
  Array.from({ length: newest }, (_, index) => ({ kind, version: index + 1 })),
);

const fixturesOf = (kind: string, version: number): Fixture[] => {
  const parsed: unknown = JSON.parse(readFileSync(new URL(`${kind}.v${version}.json`, FIXTURES), 'utf8'));
  return parsed as Fixture[];
};

describe('events in the log', () => {
  it.each(versions)('of kind $kind, version $version, are read as they were meant', ({ kind, version }) => {
    const fixtures = fixturesOf(kind, version);
    expect(fixtures.length).toBeGreaterThan(0);
    for (const { payload, reads } of fixtures) expect(fromStored({ kind, version, payload })).toEqual(reads);
  });

  it('have fixtures for the versions that there are and for no other', () => {
    const files = versions.map(({ kind, version }) => `${kind}.v${version}.json`);
    expect(readdirSync(FIXTURES).sort()).toEqual(files.sort());
  });

  it('of every kind that can be written can be read', () => {
    const kinds = EventBody.options.map(({ shape }) => shape.kind.value);
    expect(Object.keys(EVENT_VERSIONS).sort()).toEqual([...kinds].sort());
  });

  it('are read as they were written, through JSON', () => {
    fc.assert(
      fc.property(legalLogs, ({ events }) => {
        for (const { body } of events) expect(fromStored(JSON.parse(JSON.stringify(toStored(body))))).toEqual(body);
      }),
    );
  });

  it('are lifted one version at a time', () => {
    const upcasters = {
      restarted: {
        [-1]: ({ step }: Record<string, unknown>) => ({ turn: step }),
        0: ({ turn }: Record<string, unknown>) => ({ round: turn }),
      },
    };
    const stored = { kind: 'restarted', version: -1, payload: { step: 3 } };
    expect(fromStored(stored, upcasters)).toEqual({ kind: 'restarted', round: 3 });
  });

  it.each([
    ['a kind that is unknown', { kind: 'teleported', version: 1, payload: {} }],
    ['a kind that only looks known', { kind: 'toString', version: 1, payload: {} }],
    ['a version that a newer build wrote', { kind: 'restarted', version: 99, payload: { round: 1 } }],
    ['a version that nobody can lift', { kind: 'restarted', version: 0, payload: { round: 1 } }],
  ])('of %s are an internal error', (_, stored) => {
    expect(() => fromStored(stored)).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
