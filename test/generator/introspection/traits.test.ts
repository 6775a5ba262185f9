import { expect, it } from 'vitest';
import type { Dialect } from '../../../generator/introspection/catalog.js';
import type { TypedColumn } from '../../../generator/introspection/dialect.js';
import { traitsOf } from '../../../generator/introspection/index.js';

const dialects: readonly Dialect[] = ['mariadb', 'mysql', 'postgres', 'sqlite'];

it('only MySQL asks for the keys that it makes before an insert', () => {
  expect(dialects.filter((dialect) => traitsOf(dialect).keysBeforeInsert)).toEqual(['mysql']);
});

it.each<[Dialect, TypedColumn, string | null]>([
  ['mariadb', { type: 'uuid', dbType: 'uuid', values: null }, 'uuid'],
  ['mariadb', { type: 'uuid', dbType: 'char(36)', values: null }, null],
  ['mariadb', { type: 'boolean', dbType: 'bit(1)', values: null }, 'bit'],
  ['mariadb', { type: 'float', dbType: 'FLOAT unsigned', values: null }, 'float'],
  ['mariadb', { type: 'string', dbType: 'inet6', values: null }, 'inet6'],
  ['mariadb', { type: 'string', dbType: "enum('a','b')", values: ['a', 'b'] }, 'enum'],
  ['mysql', { type: 'json', dbType: 'json', values: null }, null],
  ['mysql', { type: 'json', dbType: 'longtext', values: null }, 'longtext'],
  ['postgres', { type: 'json', dbType: 'jsonb', values: null }, null],
  ['postgres', { type: 'json', dbType: 'text', values: null }, 'text'],
  ['postgres', { type: 'string', dbType: 'inet', values: null }, 'inet'],
  ['postgres', { type: 'string', dbType: 'mood', values: ['a', 'b'] }, null],
  ['sqlite', { type: 'float', dbType: 'FLOAT', values: null }, null],
  ['sqlite', { type: 'string', dbType: '', values: null }, ''],
])('%s names the type of %j where SQL treats it unlike the field', (dialect, column, named) => {
  expect(traitsOf(dialect).nameType(column)).toBe(named);
});
