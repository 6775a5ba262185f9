import { describe, expect, it } from 'vitest';
import type { Column, ColumnType } from '../../../generator/introspection/catalog.js';
import {
  castFacts,
  columnToFacts,
  defaultToWire,
  findCast,
  keyFacts,
  systemFacts,
  type TypeFacts,
} from '../../../generator/model/field-types.js';
import type { ColumnSpec } from '../../../generator/spec/types.js';
import { ofType } from '../catalogs.js';

const plain = {
  length: null,
  precision: null,
  scale: null,
  bits: null,
  unsigned: false,
  fraction: null,
  values: null,
  geometry: null,
  element: null,
};

describe('the field type of a column', () => {
  const cases: [ColumnType, Partial<TypeFacts>][] = [
    [
      { kind: 'integer', bits: 8, signed: true },
      { type: 'integer', bits: 8 },
    ],
    [
      { kind: 'integer', bits: 24, signed: false },
      { type: 'integer', bits: 24, unsigned: true },
    ],
    [
      { kind: 'integer', bits: 32, signed: true },
      { type: 'integer', bits: 32 },
    ],
    [
      { kind: 'integer', bits: 32, signed: false },
      { type: 'integer', bits: 32, unsigned: true },
    ],
    [
      { kind: 'integer', bits: 64, signed: true },
      { type: 'bigInteger', bits: 64 },
    ],
    [
      { kind: 'integer', bits: 64, signed: false },
      { type: 'bigInteger', bits: 64, unsigned: true },
    ],
    [
      { kind: 'decimal', precision: 20, scale: 6 },
      { type: 'decimal', precision: 20, scale: 6 },
    ],
    [{ kind: 'decimal', precision: null, scale: null }, { type: 'decimal' }],
    [
      { kind: 'float', bits: 32 },
      { type: 'float', bits: 32 },
    ],
    [{ kind: 'boolean' }, { type: 'boolean' }],
    [
      { kind: 'string', length: 36 },
      { type: 'string', length: 36 },
    ],
    [
      { kind: 'text', length: 65535 },
      { type: 'text', length: 65535 },
    ],
    [
      { kind: 'binary', length: 16 },
      { type: 'binary', length: 16 },
    ],
    [{ kind: 'date' }, { type: 'date' }],
    [
      { kind: 'time', fraction: 3 },
      { type: 'time', fraction: 3 },
    ],
    [
      { kind: 'dateTime', fraction: 0 },
      { type: 'dateTime', fraction: 0 },
    ],
    [
      { kind: 'timestamp', fraction: 6 },
      { type: 'timestamp', fraction: 6 },
    ],
    [{ kind: 'uuid' }, { type: 'uuid' }],
    [{ kind: 'json' }, { type: 'json' }],
    [
      { kind: 'json', element: { kind: 'time', fraction: 3 } },
      { type: 'json', element: { ...plain, type: 'time', fraction: 3 } },
    ],
    [
      { kind: 'enum', values: ['a', 'b'] },
      { type: 'string', values: ['a', 'b'] },
    ],
    [{ kind: 'set', values: ['a', 'b'] }, { type: 'csv' }],
    [
      { kind: 'geometry', geometry: { type: 'Point', srid: 4326 } },
      { type: 'geometry', geometry: { type: 'Point', srid: 4326 } },
    ],
    [
      { kind: 'vector', length: 3 },
      { type: 'vector', length: 3 },
    ],
    [{ kind: 'unknown' }, { type: 'unknown' }],
  ];
  it.each(cases)('of %j is %j', (column, want) => {
    expect(columnToFacts(column)).toEqual({ ...plain, ...want });
  });
});

describe('a literal default on the wire', () => {
  const cases: [string, ColumnType, string | number | boolean | null][] = [
    ['7', { kind: 'integer', bits: 32, signed: true }, 7],
    ['9007199254740993', { kind: 'integer', bits: 64, signed: true }, '9007199254740993'],
    ['0.10', { kind: 'decimal', precision: 4, scale: 2 }, '0.10'],
    ['0.5', { kind: 'float', bits: 64 }, 0.5],
    ['CURRENT', { kind: 'float', bits: 64 }, null],
    ['seven', { kind: 'integer', bits: 32, signed: true }, null],
    ['7.5', { kind: 'decimal', precision: 6, scale: 3 }, '7.500'],
    ['7', { kind: 'decimal', precision: 6, scale: 2 }, '7.00'],
    ['7', { kind: 'decimal', precision: 6, scale: 0 }, '7'],
    ['7.25', { kind: 'decimal', precision: null, scale: null }, '7.25'],
    ['a b', { kind: 'text', length: null }, 'a b'],
    ['a', { kind: 'enum', values: ['a'] }, 'a'],
    ['12:00:00', { kind: 'time', fraction: 0 }, '12:00:00'],
    ['00000000-0000-0000-0000-000000000000', { kind: 'uuid' }, '00000000-0000-0000-0000-000000000000'],
    ['x', { kind: 'unknown' }, 'x'],
    ['a,b', { kind: 'set', values: ['a', 'b'] }, null],
    ['x', { kind: 'binary', length: 4 }, null],
    ['2020-01-02T03:04:05', { kind: 'dateTime', fraction: 0 }, '2020-01-02T03:04:05'],
    ['no date at all', { kind: 'dateTime', fraction: 0 }, 'no date at all'],
    ['2020-01-02 03:04:05Z', { kind: 'timestamp', fraction: 0 }, '2020-01-02T03:04:05Z'],
    ['2020-01-02T03:04:05Z', { kind: 'timestamp', fraction: 0 }, '2020-01-02T03:04:05Z'],
    ['no date at all', { kind: 'timestamp', fraction: 0 }, 'no date at all'],
    ['draft', { kind: 'string', length: 16 }, 'draft'],
    ['2020-01-02', { kind: 'date' }, '2020-01-02'],
    ['2020-01-02 03:04:05', { kind: 'dateTime', fraction: 0 }, '2020-01-02T03:04:05'],
    ['2020-01-02 03:04:05', { kind: 'timestamp', fraction: 0 }, '2020-01-02T03:04:05Z'],
    ['{"a":1}', { kind: 'json' }, null],
  ];
  it.each(cases)('%j in %j is %j', (text, column, want) => {
    expect(defaultToWire(text, columnToFacts(column))).toBe(want);
  });

  it.each([
    ['1', true],
    ['t', true],
    ['true', true],
    ['TRUE', true],
    ["b'1'", true],
    ['0', false],
    ['f', false],
    ["b'0'", false],
    ['10', false],
    ['01', false],
  ])('%j in a boolean is %j', (text, want) => {
    expect(defaultToWire(text, columnToFacts({ kind: 'boolean' }))).toBe(want);
  });
});

const columnOf = (type: ColumnType): Column => ({ name: 'x', ...ofType(type) });

describe('a special that casts a column', () => {
  const text: ColumnType = { kind: 'text', length: 9 };
  const moment: ColumnType = { kind: 'dateTime', fraction: 3 };
  it.each<[string, ColumnType, boolean, Partial<TypeFacts>]>([
    ['cast-json', text, true, { type: 'json' }],
    ['cast-json', { kind: 'string', length: 9 }, true, { type: 'json' }],
    ['cast-json', { kind: 'unknown' }, true, { type: 'json' }],
    [
      'cast-json',
      { kind: 'json', element: text },
      true,
      { type: 'json', element: { ...plain, type: 'text', length: 9 } },
    ],
    ['cast-boolean', { kind: 'integer', bits: 8, signed: true }, true, { type: 'boolean' }],
    ['cast-boolean', { kind: 'decimal', precision: 1, scale: 0 }, true, { type: 'boolean' }],
    ['cast-boolean', { kind: 'boolean' }, true, { type: 'boolean' }],
    ['cast-csv', text, true, { type: 'csv', length: 9 }],
    ['cast-csv', { kind: 'set', values: ['a'] }, true, { type: 'csv' }],
    ['cast-timestamp', moment, true, { type: 'timestamp', fraction: 3 }],
    ['cast-timestamp', { kind: 'timestamp', fraction: 6 }, true, { type: 'timestamp', fraction: 6 }],
    ['cast-timestamp', text, true, { type: 'timestamp', fraction: 0 }],
    ['uuid', { kind: 'string', length: 36 }, true, { type: 'uuid' }],
    ['uuid', { kind: 'uuid' }, true, { type: 'uuid' }],
    ['uuid', { kind: 'integer', bits: 32, signed: true }, false, { type: 'uuid' }],
    ['cast-boolean', { kind: 'date' }, false, { type: 'boolean' }],
    ['cast-csv', { kind: 'json' }, false, { type: 'csv' }],
    ['cast-timestamp', { kind: 'date' }, false, { type: 'timestamp', fraction: 0 }],
  ])('%s of %j: it holds that: %s', (special, type, fits, want) => {
    const column = columnOf(type);
    expect(findCast(['conceal', special], column)).toEqual({ special, fits });
    expect(castFacts(special, column)).toEqual({ ...plain, ...want });
  });

  it('is the first that does', () => {
    expect(findCast(['cast-csv', 'cast-json'], columnOf(text))?.special).toBe('cast-csv');
    expect(findCast(['conceal', 'hash'], columnOf(text))).toBeNull();
  });
});

const facts = (type: TypeFacts['type'], parts: Partial<TypeFacts> = {}): TypeFacts => ({
  ...plain,
  type,
  ...parts,
});

describe('a key', () => {
  const [uuid, text, string] = [facts('uuid'), facts('text'), facts('string', { length: 36 })];
  const [unknown, integer] = [facts('unknown'), facts('integer', { bits: 32 })];
  it.each<[string, TypeFacts, boolean, readonly TypeFacts[], TypeFacts]>([
    ['a text that refers to a uuid', text, true, [uuid], uuid],
    ['a string that refers to a uuid', string, true, [uuid], uuid],
    ['a string one of whose targets is a uuid', string, true, [string, uuid], uuid],
    ['a string that refers to a string', string, true, [facts('string', { length: 9 })], string],
    ['an integer that refers to a uuid', integer, true, [uuid], integer],
    ['no declared type, and one target', unknown, false, [integer], integer],
    ['no declared type, and several targets', unknown, false, [integer, integer], unknown],
    ['no declared type, and no target', unknown, false, [], unknown],
    ['a type that is not known', unknown, true, [integer], unknown],
  ])('of %s', (_, own, isDeclared, ends, want) => {
    expect(keyFacts(own, { isDeclared, ends })).toEqual(want);
  });
});

describe('a column of a system table', () => {
  const stored: ColumnType = { kind: 'text', length: 99 };
  it.each<[ColumnSpec['type'], number | undefined, ColumnType, Partial<TypeFacts>]>([
    ['integer', undefined, stored, { bits: 32 }],
    ['bigInteger', undefined, stored, { bits: 64 }],
    ['timestamp', undefined, { kind: 'timestamp', fraction: 3 }, { fraction: 3 }],
    ['timestamp', undefined, stored, { fraction: 0 }],
    ['string', 16, stored, { length: 16 }],
    ['text', undefined, stored, { length: 99 }],
    ['csv', undefined, stored, { length: 99 }],
    ['uuid', 36, stored, {}],
    ['boolean', undefined, stored, {}],
    ['json', undefined, stored, {}],
  ])('that is declared as %s has that type', (type, length, kind, want) => {
    const column = { type, nullable: true, ...(length !== undefined && { length }) } as ColumnSpec;
    expect(systemFacts(column, columnOf(kind))).toEqual({ ...plain, type, ...want });
  });
});
