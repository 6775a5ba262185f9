import { describe, expect, it } from 'vitest';
import type { Column, ColumnType, IntrospectOptions } from '../../../generator/introspection/catalog.js';
import { rowsToMeta } from '../../../generator/introspection/meta.js';
import { createTableFilter } from '../../../generator/introspection/patterns.js';

const column = (name: string, type: ColumnType): Column => ({
  name,
  dbType: '',
  type,
  nullable: true,
  default: null,
  autoIncrement: false,
  generated: null,
  comment: null,
});

describe('the table filter', () => {
  it.each<[options: IntrospectOptions, name: string, admitted: boolean]>([
    [{}, 'book', true],
    [{ include: [] }, 'book', true],
    [{ include: ['b*'] }, 'book', true],
    [{ include: ['b*'] }, 'abook', false],
    [{ include: ['*oo*'] }, 'book', true],
    [{ include: ['book'] }, 'bookshelf', false],
    [{ include: ['b.ok'] }, 'book', false],
    [{ include: ['a(b)*'] }, 'a(b)\nc', true],
    [{ include: ['loan', 'book'] }, 'book', true],
    [{ exclude: ['b*'] }, 'book', false],
    [{ include: ['*'], exclude: ['book'] }, 'book', false],
    [{ include: ['book'], exclude: ['*'] }, 'svc_users', true],
    [{}, 'svc_access_version', true],
  ])('%j on %j: %s', (options, name, admitted) => {
    expect(createTableFilter(options)(name)).toBe(admitted);
  });
});

describe('meta rows', () => {
  const table = {
    name: 'svc_fields',
    columns: [
      column('id', { kind: 'integer', bits: 32, signed: true }),
      column('collection', { kind: 'string', length: 64 }),
      column('hidden', { kind: 'boolean' }),
      column('sort', { kind: 'integer', bits: 32, signed: true }),
      column('options', { kind: 'json' }),
    ],
  };

  it('drop ids and nulls and keep the order of the columns', () => {
    const rows = [
      { id: 2n, collection: 'b', hidden: 0n, sort: 7n, options: '[1]' },
      { id: 1n, collection: 'B', hidden: 1, sort: null, options: 'null' },
    ];
    expect(JSON.stringify(rowsToMeta(rows, table, ['collection']))).toBe(
      '[{"collection":"B","hidden":true},{"collection":"b","hidden":false,"sort":7,"options":[1]}]',
    );
  });

  it('report the position of invalid JSON', () => {
    expect(() => rowsToMeta([{ collection: 'b', options: '{' }], table, ['collection'])).toThrow(
      'svc_fields.options holds "{", which is not JSON',
    );
  });
});
