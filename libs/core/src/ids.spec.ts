import fc from 'fast-check';
import { deriveId, newId, RunId, TenantId } from './ids.js';

const tenants = fc.uuid({ version: 4 }).map((id) => TenantId.parse(id));
const keys = fc.record({ tenant: tenants, kind: fc.string(), key: fc.string({ unit: 'binary' }) });

describe('ids', () => {
  it('that are random are valid and differ', () => {
    const ids = Array.from({ length: 1_000 }, () => newId(RunId));
    expect(new Set(ids.map((id) => RunId.parse(id))).size).toBe(1_000);
  });

  it('that stand for a key are version 4, and the same every time', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const id = deriveId(RunId, key);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(deriveId(RunId, { ...key })).toBe(id);
      }),
    );
  });

  it('of another tenant, kind or key are other ids', () => {
    fc.assert(
      fc.property(keys, keys, (one, other) => {
        const same = one.tenant === other.tenant && one.kind === other.kind && one.key === other.key;
        fc.pre(!same && !`${one.kind}${one.key}${other.kind}${other.key}`.includes('\0'));
        expect(deriveId(RunId, one)).not.toBe(deriveId(RunId, other));
      }),
    );
  });

  it('never change: repeated requests of earlier releases find what they made', () => {
    const tenant = TenantId.parse('3f2504e0-4f89-41d3-9a0c-0305e82c3301');
    expect(deriveId(RunId, { tenant, kind: 'run', key: 'order 66' })).toBe('a8360e70-ec1b-49c2-a0ac-6b349b8b64d5');
  });

  it.each(['', 'x', '3F2504E0-4F89-41D3-9A0C-0305E82C3301', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', 7])(
    'are not %p',
    (value) => {
      expect(RunId.safeParse(value).success).toBe(false);
    },
  );
});
