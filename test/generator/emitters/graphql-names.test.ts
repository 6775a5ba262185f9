/** Names and types of fields in GraphQL that depend on more than the field's own type. */
import { expect, it } from 'vitest';
import { createNameAllocator } from '../../../generator/emitters/graphql/names.js';
import { inputType, outputType } from '../../../generator/emitters/graphql/operators.js';
import { field } from '../models.js';

it('no name is given twice', () => {
  const allocate = createNameAllocator(['pen_filter']);
  expect(['pen_filter', 'pen_filter', 'ink_filter', 'ink_filter', 'pen_filter_'].map(allocate)).toEqual([
    'pen_filter_',
    'pen_filter__',
    'ink_filter',
    'ink_filter_',
    'pen_filter___',
  ]);
});

it.each([
  ['a key', {}, 'ID', 'ID'],
  ['a key that is stored as a hash', { hash: true }, 'Hash', 'Hash'],
  ['a key that is concealed', { conceal: true }, 'String', 'ID'],
] as const)('%s, %j, is read as %s and written as %s', (_, options, read, written) => {
  const key = field('code', 'string', { primaryKey: true, ...options });
  expect([outputType(key), inputType(key, false)]).toEqual([read, written]);
});
