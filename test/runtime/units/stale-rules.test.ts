import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, manyToAny, manyToOne } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import {
  findStaleRules,
  namesInRegistry,
  type CollectionNames,
} from '../../../runtime/access/stale-rules.js';

const collections = new Map<string, CollectionNames>([
  [
    'book',
    {
      fields: new Set(['id', 'title', 'author']),
      targets: new Map<string, string | null>([
        ['author', 'author'],
        ['items', null],
        ['hidden', 'secret'],
      ]),
    },
  ],
  [
    'author',
    { fields: new Set(['id', 'name']), targets: new Map<string, string | null>([['books', 'book']]) },
  ],
]);

const find = (permission: object): readonly string[] => {
  const none = { permissions: null, validation: null, presets: null, fields: null };
  const rows = {
    policies: [{ id: 'p', admin: false, columns: { name: 'Readers' } }],
    permissions: [{ policy: 'p', collection: 'book', action: 'read', ...none, ...permission }],
  };
  return findStaleRules(rows, (name) => collections.get(name)).map(
    ({ policy, collection, action, part, name }) => `${policy} ${action} ${collection} ${part} ${name}`,
  );
};

describe('a rule', () => {
  it.each([
    [{ collection: 'gone' }, ['Readers read gone collection gone']],
    [{ fields: ['*', 'id', 'items', 'colour'] }, ['Readers read book fields colour']],
    [{ permissions: { colour: { _eq: 1 } } }, ['Readers read book permissions colour']],
    [{ validation: { _or: [{ title: 'x' }, { colour: 1 }] } }, ['Readers read book validation colour']],
    [{ validation: { author: { nickname: 1 } } }, ['Readers read book validation author.nickname']],
    [
      { permissions: { author: { books: { _some: { _and: [{ colour: 1 }, { colour: 2 }] } } } } },
      ['Readers read book permissions author.books.colour'],
    ],
    [
      { permissions: { author: { books: { _none: { colour: 1 } } } } },
      ['Readers read book permissions author.books.colour'],
    ],
    [
      { permissions: { _and: [{ items: { anything: 1 } }, { colour: 1 }] } },
      ['Readers read book permissions colour'],
    ],
    [{ permissions: { title: { nested: { _eq: 1 } } } }, ['Readers read book permissions title.nested']],
    [{ presets: { title: 'x', colour: 1 } }, ['Readers read book presets colour']],
  ])('%j is stale', (permission, want) => {
    expect(find(permission)).toEqual(want);
  });

  it.each([
    [{}],
    [{ fields: ['*'] }],
    [{ permissions: { _and: [{ author: { name: 'x' } }, { author: { _null: true } }] } }],
    [{ permissions: { author: { books: { _none: { title: 'x' } } } } }],
    [{ permissions: { items: { anything: 1 } } }],
    [{ permissions: { hidden: { anything: 1 } } }],
    [{ permissions: { title: { _bogus: 1 } } }],
  ])('%j is not', (permission) => {
    expect(find(permission)).toEqual([]);
  });
});

it('names are those of the served collections', () => {
  const find = namesInRegistry(
    createRegistry([
      defineCollection({
        name: 'book',
        path: null,
        key: ['id'],
        fields: { id: integer(), author: integer(), item: integer(), kind: string() },
        relations: {
          author: manyToOne('author', ['author'], ['id']),
          item: manyToAny('item', 'kind', ['book', 'author']),
        },
      }),
      defineCollection({ name: 'author', path: null, key: ['id'], fields: { id: integer() } }),
    ]),
  );
  expect(find('book')).toEqual({
    fields: new Set(['id', 'author', 'item', 'kind']),
    targets: new Map([
      ['author', 'author'],
      ['item', null],
    ]),
  });
  expect(find('gone')).toBeUndefined();
});
