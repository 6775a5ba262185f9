/** Every place of an index that names a column follows a rename. */
import { expect, it } from 'vitest';
import { applyRenames } from '../../../runtime/schema/diff/renames.js';
import type { IndexEntry, Snapshot } from '../../../runtime/schema/snapshot/types.js';

const index = (name: string): IndexEntry => ({
  name: 'by_part',
  unique: false,
  columns: [name, { column: name, descending: true }, { expression: `lower("${name}")` }],
  predicate: `not ("${name}" is null)`,
  include: [name, 'other'],
});

const snapshot: Snapshot = {
  version: 1,
  svc: '1.2.3',
  vendor: 'postgres',
  collections: [{ collection: 't', meta: null, schema: { name: 't', indexes: [index('code')] } }],
  fields: [],
  systemFields: [],
  relations: [],
};

it('an index follows the rename of a column in its parts, its condition and what it includes', () => {
  const renames = { collections: new Map<string, string>(), fields: new Map([['t\0article', 'code']]) };
  const [renamed] = applyRenames(snapshot, renames).collections;
  expect(JSON.stringify(renamed?.schema?.indexes).toLowerCase()).toBe(JSON.stringify([index('article')]));
});
