import { durableFrameId, newId, SessionId } from '@parley/core';
import fc from 'fast-check';
import { AMID_NOTHING, EventIds, type Place } from './ids.js';

const place: fc.Arbitrary<Place> = fc.record({
  frame: fc.nat(Number.MAX_SAFE_INTEGER),
  sub: fc.nat(2 ** 21 - 1),
  amid: fc.record({ open: fc.constantFrom('text', 'reasoning', null), restarted: fc.boolean() }),
});

describe('the id of an event', () => {
  it('leads back to its place', () => {
    const ids = new EventIds(newId(SessionId));
    fc.assert(fc.property(place, (one) => expect(ids.placeOf(ids.of(one))).toEqual(one)));
  });

  it('looks as the published pattern wants it', () => {
    fc.assert(
      fc.property(place, (one) => {
        expect(new EventIds(newId(SessionId)).of(one)).toMatch(/^aev_[0-9a-zA-Z_-]{20}$/);
      }),
    );
  });

  it('is refused in another session', () => {
    const id = new EventIds(newId(SessionId)).ofStored(1, 2);
    expect(new EventIds(newId(SessionId)).placeOf(id)).toBeUndefined();
  });

  it.each(['', 'start', 'aev_', 'aev_x', `aev_${'*'.repeat(20)}`, `aev_${'A'.repeat(21)}`, `x${'A'.repeat(23)}`])(
    'is not %j',
    (text) => {
      expect(new EventIds(newId(SessionId)).placeOf(text)).toBeUndefined();
    },
  );

  it('of a stored event is told from that of a frame that is only streamed', () => {
    const ids = new EventIds(newId(SessionId));
    expect(ids.storedAt(ids.ofStored(7, 6))).toEqual({ seq: 7, sub: 6 });
    expect(ids.storedAt(ids.of({ frame: durableFrameId(7) + 1, sub: 0, amid: AMID_NOTHING }))).toBeUndefined();
    expect(
      ids.storedAt(ids.of({ frame: durableFrameId(7), sub: 6, amid: { open: 'text', restarted: false } })),
    ).toBeUndefined();
  });
});
