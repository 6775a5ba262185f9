/** The shape of a list, which CSV needs before the first item. */
import { expect, it } from 'vitest';
import type { Field } from '../../../contract/collection.js';
import { planAggregate } from '../../../runtime/plan/aggregate.js';
import type { ReadPlan } from '../../../runtime/plan/types.js';
import { readQuery } from '../../../runtime/request/query.js';
import { csvShapeOf } from '../../../runtime/response/export/columns.js';
import { printCsvRow, toCells } from '../../../runtime/response/export/csv.js';
import { collectionOf, planOf, policiesOf } from './compiled.js';

const shapeOf = (collection: string, fields: readonly string[]) => {
  const { digits, isOpen } = csvShapeOf(planOf(collection, { fields }));
  return { digits: [...digits], isOpen };
};

it('columns are known in advance, except those of JSON and of rows that may be missing', () => {
  expect(shapeOf('book', ['title', 'pages', 'notes']).isOpen).toBe(false);
  expect(shapeOf('book', ['title', 'facts']).isOpen).toBe(true);
  expect(shapeOf('book', ['title', 'shelf.label']).isOpen).toBe(true);
});

const entryOf = (type: Field['type']) => ({ kind: 'field', name: 'x', field: { name: 'x', type } });

const isOpen = (type: Field['type']): boolean =>
  csvShapeOf({ select: { kind: 'object', entries: [entryOf(type)] } } as unknown as ReadPlan).isOpen;

it('a column of a type that is not known may hold JSON', () => {
  expect([isOpen('unknown'), isOpen('json'), isOpen('geometry'), isOpen('string')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

it('a geometry is one column, whatever its members are', () => {
  const plan = { select: { kind: 'object', entries: [entryOf('geometry')] } } as unknown as ReadPlan;
  const { wholes } = csvShapeOf(plan);
  const item = { x: { type: 'Point', coordinates: [1, 2] } };
  expect([...toCells(item, { wholes })]).toEqual(Object.entries(item));
});

it('a text in a column of numbers, of another target, is escaped', () => {
  const cells = new Map([
    ['a', '-1.50'],
    ['b', '-cmd()'],
  ]);
  expect(printCsvRow(cells, ['a', 'b'], { digits: new Set(['a', 'b']) })).toBe(`-1.50,"'-cmd()"`);
});

it('columns of numbers that are sent as text are named by their paths', () => {
  expect(shapeOf('book', ['title', 'isbn', 'sequel.isbn']).digits).toEqual(['isbn', 'sequel.isbn']);
  expect(shapeOf('crate', ['id']).digits).toEqual(['id']);
});

it('columns of an aggregation have the paths of its results', () => {
  const { query } = readQuery({ aggregate: { max: ['isbn', 'title'] }, groupBy: ['isbn', 'title'] });
  if (query.aggregation === null) throw new Error('this is an aggregation');
  const plan = planAggregate(query, query.aggregation, {
    collection: collectionOf('book'),
    context: { policies: policiesOf(), maxDepth: 10 },
  });
  expect([...csvShapeOf(plan).digits]).toEqual(['isbn', 'max.isbn']);
});
