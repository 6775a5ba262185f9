/** Names of columns with points: those of fields, and paths through relations. */
import { expect, it } from 'vitest';
import type { Collection } from '../../../contract/collection.js';
import { pathOf } from '../../../runtime/transfers/source/payload.js';

const named = (names: readonly string[]): Map<string, never> =>
  new Map(names.map((name) => [name, {} as never]));

const book = {
  fields: named(['title', 'size.width', 'author.name']),
  relations: named(['author']),
} as unknown as Collection;

it.each([
  ['title', ['title']],
  ['author.city', ['author', 'city']],
  ['size.width', ['size.width']],
  ['size.height', ['size', 'height']],
  // a field whose name begins as a relation does
  ['author.name', ['author', 'name']],
])('%s', (column, path) => {
  expect(pathOf(column, book)).toEqual(path);
});
