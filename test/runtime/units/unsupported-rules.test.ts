/** Stored rules whose regular expressions are not supported are named, with what they refuse. */
import { expect, it } from 'vitest';
import { createRegistry, defineCollection } from '../../../contract/collection.js';
import { string } from '../../../contract/fields.js';
import { findUnsupportedRules } from '../../../runtime/access/unsupported-rules.js';
import { accessRows, permission } from './access-rows.js';

const lookAhead = { title: { _regex: '(?=x)' } };
const plain = { title: { _regex: '^[a-z]+$' } };
const reason = '"(?=x)" is not a supported regular expression: look-ahead "(?="';

const { collections } = createRegistry([
  defineCollection({
    name: 'book',
    path: null,
    key: [],
    fields: { title: string({ validation: lookAhead }), code: string({ validation: plain }), free: string() },
  }),
]);

it('finds expressions of permissions and of fields', () => {
  const rows = accessRows({
    policies: [
      { id: 'p', admin: false, columns: { name: 'Writers' } },
      { id: 'q', admin: false },
    ],
    permissions: [
      permission('p', { action: 'create', validation: lookAhead }),
      permission('p', { action: 'update', validation: plain }),
      permission('q', { action: 'update', validation: lookAhead }),
      permission('gone', { validation: lookAhead }),
      permission('p'),
    ],
  });
  expect(findUnsupportedRules(rows, collections.values())).toEqual([
    `policy "Writers", create of book: ${reason}; what it guards is refused`,
    `policy "q", update of book: ${reason}; what it guards is refused`,
    `policy "gone", read of book: ${reason}; what it guards is refused`,
    `book.title: ${reason}; writes of the field are refused`,
  ]);
});
