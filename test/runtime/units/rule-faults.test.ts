import { describe, expect, it } from 'vitest';
import { operatorNames } from '../../../contract/operators.js';
import { createRegistry, defineCollection, manyToAny, manyToOne } from '../../../contract/collection.js';
import {
  bigInteger,
  boolean,
  date,
  integer,
  json,
  string,
  timestamp,
  uuid,
} from '../../../contract/fields.js';
import type { ComparedField } from '../../../runtime/plan/rule-comparisons.js';
import {
  findRuleFaults,
  registryToScope,
  ruleFaultToText,
  type CollectionNames,
} from '../../../runtime/plan/rule-faults.js';

const collections = new Map<string, CollectionNames>([
  [
    'book',
    {
      fields: new Map<string, ComparedField>(
        Object.entries({
          id: integer(),
          title: string(),
          author: integer(),
          lent: boolean(),
          printed: date(),
          sold: timestamp(),
          code: uuid(),
          notes: json(),
          big: bigInteger(),
          pin: string({ conceal: true }),
        }),
      ),
      targets: new Map<string, string | null>([
        ['author', 'author'],
        ['items', null],
        ['hidden', 'secret'],
      ]),
    },
  ],
  ['svc_users', { fields: new Map(Object.entries({ id: uuid(), email: string() })), targets: new Map() }],
  [
    'author',
    {
      fields: new Map(Object.entries({ id: integer(), name: string() })),
      targets: new Map<string, string | null>([['books', 'book']]),
    },
  ],
]);

const find = (permission: object): readonly string[] => {
  const none = { permissions: null, validation: null, presets: null, fields: null };
  const rows = {
    policies: [{ id: 'p', admin: false, columns: { name: 'Readers' } }],
    permissions: [{ policy: 'p', collection: 'book', action: 'read', ...none, ...permission }],
  };
  const scope = { findNames: (name: string) => collections.get(name), validated: [] };
  return findRuleFaults(rows, scope).map(ruleFaultToText);
};

const lookAhead = { title: { _regex: '(?=x)' } };
const unsupported = '"(?=x)" is not a supported regular expression: look-ahead "(?="';
const bogus = `"_bogus" is not an operator; operators are ${operatorNames.map((name) => `_${name}`).join(', ')}`;
const incomparable = 'cannot be compared: a validation compares only fields of the item itself';

describe('a rule', () => {
  it.each([
    [{ collection: 'gone' }, ['policy "Readers", read of gone, in "collection": "gone" does not exist']],
    [
      { fields: ['*', 'id', 'items', 'colour'] },
      ['policy "Readers", read of book, in "fields": "colour" does not exist'],
    ],
    [
      { permissions: { colour: { _eq: 1 } } },
      ['policy "Readers", read of book, in "permissions": "colour" does not exist'],
    ],
    [
      { validation: { _or: [{ title: 'x' }, { colour: 1 }] } },
      ['policy "Readers", read of book, in "validation": "colour" does not exist'],
    ],
    [
      { validation: { author: { nickname: 1 } } },
      [`policy "Readers", read of book, in "validation": "author.nickname" ${incomparable}`],
    ],
    [
      { validation: { _or: [{ author: { name: 'x' } }, { hidden: { _some: { id: 1 } } }] } },
      [
        `policy "Readers", read of book, in "validation": "author.name" ${incomparable}`,
        `policy "Readers", read of book, in "validation": "hidden" ${incomparable}`,
      ],
    ],
    [
      { validation: { title: { _json: { a: 1 } }, 'count(hidden)': { _gt: 0 } } },
      [
        `policy "Readers", read of book, in "validation": "title" ${incomparable}`,
        `policy "Readers", read of book, in "validation": "count(hidden)" ${incomparable}`,
      ],
    ],
    [
      { permissions: { author: { books: { _some: { _and: [{ colour: 1 }, { colour: 2 }] } } } } },
      ['policy "Readers", read of book, in "permissions": "author.books.colour" does not exist'],
    ],
    [
      { permissions: { author: { books: { _none: { colour: 1 } } } } },
      ['policy "Readers", read of book, in "permissions": "author.books.colour" does not exist'],
    ],
    [
      { permissions: { _and: [{ items: { anything: 1 } }, { colour: 1 }] } },
      ['policy "Readers", read of book, in "permissions": "colour" does not exist'],
    ],
    [
      { permissions: { title: { nested: { _eq: 1 } } } },
      ['policy "Readers", read of book, in "permissions": "title.nested" does not exist'],
    ],
    [
      { presets: { title: 'x', colour: 1 } },
      ['policy "Readers", read of book, in "presets": "colour" does not exist'],
    ],
    [
      { permissions: { _or: [{ author: { name: { _regex: '^a' } } }, { title: 'x' }] } },
      ['policy "Readers", read of book, in "permissions": "_regex" is only for validations'],
    ],
    [
      { permissions: { author: { _in: ['$CURRENT_USR', '$CURRENT_USER.colour', '$NOW(soon)'] } } },
      [
        'policy "Readers", read of book, in "permissions": "$CURRENT_USR" does not exist',
        'policy "Readers", read of book, in "permissions": "$CURRENT_USER.colour" does not exist',
        'policy "Readers", read of book, in "permissions": "$NOW(soon)" does not exist',
      ],
    ],
    [
      { validation: { title: '$CURRENT_ME' }, presets: { title: '$CURRENT_USER.colour' } },
      [
        'policy "Readers", read of book, in "validation": "$CURRENT_ME" does not exist',
        'policy "Readers", read of book, in "presets": "$CURRENT_USER.colour" does not exist',
      ],
    ],
    [
      { permissions: { title: { _bogus: 1 } }, validation: { _and: 'x' } },
      [
        `policy "Readers", read of book, in "permissions": ${bogus}`,
        'policy "Readers", read of book, in "validation": "_and" must be a list of filters',
      ],
    ],
    [
      { permissions: { title: { _bogus: 1 }, author: { _other: 1 } } },
      [
        `policy "Readers", read of book, in "permissions": ${bogus}`,
        `policy "Readers", read of book, in "permissions": ${bogus.replace('_bogus', '_other')}`,
      ],
    ],
    [
      {
        permissions: { id: { _contains: '1' }, author: { lent: 1 }, pin: { _eq: '1' }, notes: { _eq: '1' } },
      },
      [
        'policy "Readers", read of book, in "permissions": "id" (integer) does not support "_contains"; it supports _eq, _neq, _in, _nin, _null, _nnull, _lt, _lte, _gt, _gte, _between, _nbetween',
        'policy "Readers", read of book, in "permissions": "author.lent" does not exist',
        'policy "Readers", read of book, in "permissions": "pin" (string) does not support "_eq"; it supports _empty, _nempty, _null, _nnull',
        'policy "Readers", read of book, in "permissions": "notes" (json) does not support "_eq"; it supports _null, _nnull',
      ],
    ],
    [
      {
        permissions: {
          _or: [
            { id: { _in: [1, 'one'] } },
            { big: { _gt: 1, _lt: 'x' } },
            { author: { books: { id: { _neq: '' } } } },
            { lent: 'maybe' },
          ],
        },
      },
      [
        'policy "Readers", read of book, in "permissions": "id" expects a whole number',
        'policy "Readers", read of book, in "permissions": "big" expects a whole number, as text where it exceeds 2^53',
        'policy "Readers", read of book, in "permissions": "author.books.id" expects a whole number',
        'policy "Readers", read of book, in "permissions": "lent" expects true or false',
      ],
    ],
    [
      {
        permissions: {
          printed: { _between: ['2024-01-01', 'soon'] },
          title: 5,
          sold: { _or: [{ _lt: 'never' }] },
          code: 'x',
        },
      },
      [
        'policy "Readers", read of book, in "permissions": "printed" expects a date, YYYY-MM-DD',
        'policy "Readers", read of book, in "permissions": "title" expects a text',
        'policy "Readers", read of book, in "permissions": "sold" expects a timestamp, YYYY-MM-DDTHH:MM:SSZ',
        'policy "Readers", read of book, in "permissions": "code" expects a uuid',
      ],
    ],
    [{ validation: lookAhead }, [`policy "Readers", read of book, in "validation": ${unsupported}`]],
    [
      { collection: 'gone', validation: lookAhead },
      [
        'policy "Readers", read of gone, in "collection": "gone" does not exist',
        `policy "Readers", read of gone, in "validation": ${unsupported}`,
      ],
    ],
    [
      { policy: 'unnamed', presets: { colour: 1 } },
      ['policy "unnamed", read of book, in "presets": "colour" does not exist'],
    ],
  ])('%j has faults', (permission, want) => {
    expect(find(permission)).toEqual(want);
  });

  it.each([
    [{}],
    [{ fields: ['*'] }],
    [{ permissions: { _and: [{ author: { name: 'x' } }, { author: { _null: true } }] } }],
    [{ permissions: { author: { books: { _none: { title: 'x' } } } } }],
    [{ permissions: { items: { anything: 1 } } }],
    [{ permissions: { hidden: { anything: 1 } } }],
    [
      {
        permissions: {
          author: { _in: ['$CURRENT_USER', '$CURRENT_USER.email', '$CURRENT_USER.role.x', '$NOW'] },
        },
      },
    ],
    [{ permissions: { author: { _in: ['$CURRENT_ROLES.anything', '$CURRENT_POLICIES', '$5.00'] } } }],
    [{ validation: { title: { _regex: '^[a-z]+$' } } }],
    [{ permissions: { id: { _lt: 1e20 }, author: { _nin: ['7', 1.5] }, 'year(sold)': { _eq: 'x' } } }],
    [{ permissions: { id: { _eq: null }, big: { _lt: 1e30, _gt: '-1' } } }],
    [{ permissions: { title: { _eq: '5' }, sold: { _lt: '$NOW(-1 day)' }, code: '$CURRENT_USER' } }],
    [{ permissions: { title: { _contains: 5 }, pin: { _null: true }, lent: { _eq: 1 } } }],
    [{ validation: { id: { _gt: 1, _lt: 5 } } }],
    [{ validation: { author: { _or: [{ _null: true }, { _gt: 1 }] } } }],
  ])('%j has none', (permission) => {
    expect(find(permission)).toEqual([]);
  });
});

it('the scope is that of the served collections', () => {
  const { findNames, validated } = registryToScope(
    createRegistry([
      defineCollection({
        name: 'book',
        path: null,
        key: ['id'],
        fields: {
          id: integer(),
          author: integer(),
          item: integer(),
          kind: string({ validation: { kind: { _regex: '(?=x)' } } }),
          place: string({ validation: { author: { id: { _eq: 1 } } } }),
        },
        relations: {
          author: manyToOne('author', ['author'], ['id']),
          item: manyToAny('item', 'kind', ['book', 'author']),
        },
      }),
      defineCollection({ name: 'author', path: null, key: ['id'], fields: { id: integer() } }),
    ]),
  );
  expect(findNames('book')).toEqual({
    fields: expect.toSatisfy(
      (fields: ReadonlyMap<string, unknown>) => [...fields.keys()].join() === 'id,author,item,kind,place',
    ),
    targets: new Map([
      ['author', 'author'],
      ['item', null],
    ]),
  });
  expect(findNames('gone')).toBeUndefined();
  expect(
    findRuleFaults({ policies: [], permissions: [] }, { findNames, validated }).map(ruleFaultToText),
  ).toEqual([
    `field book.kind, in "validation": ${unsupported}`,
    `field book.place, in "validation": "author.id" ${incomparable}`,
  ]);
});
