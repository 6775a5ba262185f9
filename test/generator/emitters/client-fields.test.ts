/** Types of fields in the client: what is read, and what is written. */
import { expect, it } from 'vitest';
import { emitCollection } from '../../../generator/emitters/client/collection.js';
import { readType, writeType } from '../../../generator/emitters/client/field.js';
import { union } from '../../../generator/print/code.js';
import { collection, counter, field } from '../models.js';

const sizes = { values: ['S', 'M'] };
const types = union(["'S'", "'M'"]);

it('reads a concealed enum as text, because it is masked, and writes its values', () => {
  const size = field('size', 'string', { ...sizes, conceal: true });
  expect(readType(size, { singleton: false })).toBe('string');
  expect(writeType(size)).toEqual(types);
});

it('reads and writes a hash as text', () => {
  const size = field('size', 'string', { ...sizes, hash: true });
  expect([readType(size, { singleton: false }), writeType(size)]).toEqual(['string', 'string']);
});

it('reads null from a singleton without a default only', () => {
  const [bare, preset] = [field('size', 'integer'), field('size', 'integer', { defaultValue: 1 })];
  expect(readType(bare, { singleton: true })).toEqual(union(['number', 'null']));
  expect(readType(preset, { singleton: true })).toBe('number');
  expect(readType(bare, { singleton: false })).toBe('number');
});

it('a filter has no members for columns called _and and _or, which join filters', () => {
  const fields = [counter('id'), field('_and', 'integer'), field('_or', 'integer'), field('_not', 'integer')];
  const table = collection('pen', fields);
  const { content } = emitCollection(table, new Map([['pen', table]]));
  const filter = /export interface PenFilter [^]*?\n\}/.exec(content)?.[0] ?? '';
  expect([...filter.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name)).toEqual(['id', '_not']);
});
