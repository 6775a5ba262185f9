/** Names in filters, payloads, paths and templates follow renames through every kind of relation. */
import { expect, it } from 'vitest';
import { createPathRenamer } from '../../../runtime/schema/diff/rename-paths.js';
import type { Meta, RelationEntry } from '../../../runtime/schema/snapshot/types.js';

const relation = (
  collection: string,
  field: string,
  related: string | null,
  meta: Meta | null = null,
): RelationEntry => ({
  collection,
  field,
  related_collection: related,
  meta,
  schema: null,
});

/** `books` is called `works` now, its `title` is `headline`, and the `name` of authors is `full_name`. */
const renamer = createPathRenamer(
  [
    relation('works', 'author', 'authors'),
    relation('works', 'editor', 'authors', { one_field: 'edited' }),
    relation('blocks', 'item', null),
  ],
  {
    collections: new Map([['works', 'books']]),
    fields: new Map([
      ['works\0headline', 'title'],
      ['authors\0full_name', 'name'],
    ]),
  },
);

it.each<[string, string, unknown, unknown]>([
  ['an operator', 'works', { title: { _eq: 'title' } }, { headline: { _eq: 'title' } }],
  ['a relation', 'works', { author: { name: { _eq: 1 } } }, { author: { full_name: { _eq: 1 } } }],
  [
    'a list called after its table',
    'authors',
    { books: { _none: { title: {} } } },
    { works: { _none: { headline: {} } } },
  ],
  [
    'a list called after its columns',
    'authors',
    { books_by_author: { title: {} } },
    { works_by_author: { headline: {} } },
  ],
  [
    'a list with a name',
    'authors',
    { edited: { _some: { title: {} } } },
    { edited: { _some: { headline: {} } } },
  ],
  [
    'one of several collections',
    'blocks',
    { 'item:books': { title: {} } },
    { 'item:works': { headline: {} } },
  ],
  ['functions', 'authors', { 'count(books)': { _gt: 1 } }, { 'count(works)': { _gt: 1 } }],
  ['JSON', 'works', { 'json(title, a.title)': { _eq: 1 } }, { 'json(headline, a.title)': { _eq: 1 } }],
  [
    'alternatives',
    'works',
    { _or: [{ title: {} }, { other: {} }] },
    { _or: [{ headline: {} }, { other: {} }] },
  ],
  ['another collection', 'blocks', { title: {}, name: {} }, { title: {}, name: {} }],
  ['no filter', 'works', null, null],
])('in a filter with %s', (_name, collection, before, after) => {
  expect(renamer.keys(before, collection)).toEqual(after);
});

it('in values of items and of their related items', () => {
  const values = {
    name: 'name',
    books: { create: [{ title: 'title', author: { name: 'x' } }], delete: [1] },
  };
  expect(renamer.keys(values, 'authors')).toEqual({
    full_name: 'name',
    works: { create: [{ headline: 'title', author: { full_name: 'x' } }], delete: [1] },
  });
});

it('in paths and templates', () => {
  expect(renamer.path('books.author.name', 'authors')).toBe('works.author.full_name');
  expect(renamer.path('*', 'works')).toBe('*');
  expect(renamer.template('title: {{ title }}, {{author.name}}', 'works')).toBe(
    'title: {{ headline }}, {{author.full_name}}',
  );
});
