import { newId, RunId, TenantId } from '@parley/core';
import { z } from 'zod';
import { type EventContract, type Rpc } from './define.js';
import * as everything from './index.js';

const contracts: (Rpc | EventContract<z.ZodType, never>)[] = [];
for (const value of Object.values(everything)) {
  if (typeof value === 'object' && 'type' in value && (value.type === 'rpc' || value.type === 'event')) {
    contracts.push(value);
  }
}
const rpcs = contracts.filter((contract) => contract.type === 'rpc');
const events = contracts.filter((contract) => contract.type === 'event');

/** What stands on the wire, as JSON Schema. Dates travel as text. */
const wire = (schema: z.ZodType): unknown =>
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  });

describe('the contracts', () => {
  it('have a subject of their own each, rpc.<noun>.<verb>', () => {
    const subjects = rpcs.map(({ subject }) => subject);
    expect(subjects.length).toBeGreaterThan(10);
    expect(new Set(subjects).size).toBe(subjects.length);
    for (const subject of subjects) expect(subject).toMatch(/^rpc\.[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*(\.v\d+)?$/);
  });

  it('go to the process that a request names, where they say so', () => {
    const request = { tenant: newId(TenantId), run: newId(RunId), executor: 7, epoch: 2 };
    expect(everything.subjectOf(everything.tailRun, request)).toBe('rpc.run.tail.7');
    expect(everything.subjectOf(everything.getRun, { tenant: request.tenant, id: request.run })).toBe('rpc.run.get');
  });

  it('bound every wait, to a minute at most', () => {
    for (const { timeoutMs } of rpcs) {
      expect(timeoutMs).toBeGreaterThan(0);
      expect(timeoutMs).toBeLessThanOrEqual(60_000);
    }
  });

  it('have a pattern of their own for each event', () => {
    const patterns = events.map(({ pattern }) => pattern);
    expect(new Set(patterns).size).toBe(patterns.length);
    for (const pattern of patterns) expect(pattern).toMatch(/^event\.[a-z]+\.\*\.[a-z]+$/);
  });

  it('hear each event by its pattern', () => {
    const { pattern, subject } = everything.runNudged;
    const heard = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^.]+')}$`);
    expect(subject({ executor: 7 })).toMatch(heard);
  });

  it.each(rpcs.map((contract) => [contract.subject, contract] as const))('keeps the wire form of %s', (_, contract) => {
    const { errors, timeoutMs, to, request, response } = contract;
    expect({
      errors,
      timeoutMs,
      ...(to !== undefined && { to }),
      request: wire(request),
      response: wire(response),
    }).toMatchSnapshot();
  });

  it.each(events.map((contract) => [contract.pattern, contract] as const))(
    'keeps the wire form of %s',
    (_, contract) => {
      expect(wire(contract.payload)).toMatchSnapshot();
    },
  );
});
