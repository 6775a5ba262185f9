import { describe, expect, it } from 'vitest';
import type { ColumnType } from '../../../generator/introspection/catalog.js';
import { columnToFacts, defaultToWire, type TypeFacts } from '../../../generator/model/field-types.js';

const plain = {
  length: null,
  precision: null,
  scale: null,
  bits: null,
  unsigned: false,
  fraction: null,
  values: null,
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
    ['1', { kind: 'boolean' }, true],
    ['0', { kind: 'boolean' }, false],
    ['draft', { kind: 'string', length: 16 }, 'draft'],
    ['2020-01-02', { kind: 'date' }, '2020-01-02'],
    ['2020-01-02 03:04:05', { kind: 'dateTime', fraction: 0 }, '2020-01-02T03:04:05'],
    ['2020-01-02 03:04:05', { kind: 'timestamp', fraction: 0 }, '2020-01-02T03:04:05Z'],
    ['{"a":1}', { kind: 'json' }, null],
  ];
  it.each(cases)('%j in %j is %j', (text, column, want) => {
    expect(defaultToWire(text, columnToFacts(column))).toBe(want);
  });
});
