/** Keys of parents, whatever their columns, and patterns of LIKE. */
import { describe, expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { joinKey, bindKeyPart, keyPlaceholder, showKey } from '../../../runtime/sql/key.js';
import { createStatement } from '../../../runtime/sql/fragment.js';
import { parentKeyConditions } from '../../../runtime/sql/parent-key.js';
import { escapeLike, likePattern } from '../../../runtime/sql/like.js';
import { dialects, inputOf, printStatement } from './compiled.js';

const { sqlite, mariadb, postgres } = dialects;

const field = (type: Field['type'], options: Partial<Field> = {}): Field => ({ name: 'x', type, ...options });

describe('the key of a parent', () => {
  it('is its text, or a list of texts for several columns', () => {
    expect(joinKey(['a'])).toBe('a');
    expect(joinKey(['a', 'b,c'])).toBe('["a","b,c"]');
  });

  const fields = [field('integer'), field('binary'), field('bigInteger'), field('date')];
  const key = joinKey(['5', '\u0000\u00ff', '9007199254740993', '2020-01-02']);
  const part = (column: number) => bindKeyPart(key, column, { fields, dialect: sqlite });

  it('is bound column by column', () => {
    expect([0, 1, 2, 3].map(part)).toEqual([5n, Buffer.from([0, 255]), 9_007_199_254_740_993n, '2020-01-02']);
  });

  it.each<[string, unknown]>([
    ['5', 5n],
    ['-5', -5n],
    ['5.0', 5n],
    ['5.', 5n],
    ['5.000', 5n],
    ['50', 50n],
    ['5.5', '5.5'],
    ['5.05', '5.05'],
    ['a5', 'a5'],
    ['5a', '5a'],
    ['0x5', '0x5'],
    ['5e2', '5e2'],
    ['', ''],
    ['9007199254740993', '9007199254740993'],
  ])('is compared as an integer if it is one: %j', (text, want) => {
    expect(bindKeyPart(text, 0, { fields: [field('integer')], dialect: sqlite })).toBe(want);
  });

  it('is a text as the database wrote it if it is no number', () => {
    const numbers = field('json', { element: { type: 'integer' } });
    expect(bindKeyPart('{1,2}', 0, { fields: [numbers], dialect: postgres })).toBe('{1,2}');
  });

  it('is null, which equals nothing, if it is missing', () => {
    const only = { fields: [field('integer')], dialect: sqlite };
    expect([bindKeyPart(null, 0, only), bindKeyPart(5, 0, only), bindKeyPart('5', 1, only)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('is cast if its type requires it', () => {
    const bit = field('binary', { dbType: 'bit' });
    const single = field('float', { dbType: 'float' });
    expect([bit, single].map((each) => keyPlaceholder(each, mariadb))).toEqual([
      'cast(conv(hex(?), 16, 10) as unsigned)',
      'cast(? as float)',
    ]);
    expect(keyPlaceholder(field('bigInteger'), mariadb)).toBe('?');
    expect(keyPlaceholder(field('integer'), postgres)).toBe('?');
  });

  it('is cast in the condition for one parent, and in that for many', () => {
    const fields = [field('float', { dbType: 'float' }), field('integer')];
    const print = (count: 1 | 2) => {
      const key = { columns: ['t.a', 't.b'].slice(0, count), fields: fields.slice(0, count) };
      const { one, many } = parentKeyConditions(key, mariadb);
      const keys = count === 1 ? ['1.5', '2.5'] : ['["1.5","5"]', '["2.5","6"]'];
      return [one, many].map((each) => printStatement(createStatement(each).render(inputOf([], keys))));
    };
    expect(print(1)).toEqual([
      't.a = cast(? as float) -- "1.5"',
      't.a in (cast(? as float), cast(? as float)) -- "1.5", "2.5"',
    ]);
    expect(print(2)).toEqual([
      't.a = cast(? as float) and t.b = ? -- "1.5", 5',
      '(t.a, t.b) in ((cast(? as float), ?), (cast(? as float), ?)) -- "1.5", 5, "2.5", 6',
    ]);
  });

  it('of several columns is shown in the format of a path', () => {
    const shown = showKey(
      ['a,b', '1', '0', 't', '\u0001', '\u0000\u00ff', null],
      [field('string'), ...Array<Field>(4).fill(field('boolean')), field('binary'), field('string')],
    );
    expect(shown).toBe('a%2Cb,true,false,true,true,AP8%3D,');
  });
});

describe('a pattern', () => {
  it.each([
    ['contains', '%a%'],
    ['icontains', '%a%'],
    ['startsWith', 'a%'],
    ['istartsWith', 'a%'],
    ['endsWith', '%a'],
    ['iendsWith', '%a'],
  ] as const)('%s is the pattern %s', (kind, want) => {
    expect(likePattern(kind, 'a')).toBe(want);
    expect(likePattern(kind, 'a', '*')).toBe(want.replaceAll('%', '*'));
  });

  it('escapes special characters of LIKE', () => {
    expect(escapeLike('50% of a_b!')).toBe('50!% of a!_b!!');
  });
});
