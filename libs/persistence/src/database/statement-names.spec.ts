import { statementNames } from './statement-names.js';

describe('statementNames', () => {
  it('gives a text one name, and another text another', () => {
    const nameOf = statementNames();
    const first = nameOf({ sql: 'select 1' });

    expect(nameOf({ sql: 'select 2' })).not.toBe(first);
    expect(nameOf({ sql: 'select 1' })).toBe(first);
  });

  it('leaves texts beyond its limit unprepared, and keeps the names it gave', () => {
    const nameOf = statementNames(1);
    const first = nameOf({ sql: 'select 1' });

    expect(nameOf({ sql: 'select 2' })).toBe('');
    expect(nameOf({ sql: 'select 1' })).toBe(first);
  });
});
