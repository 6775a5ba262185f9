import { expect, it } from 'vitest';
import type { ColumnType } from '../../../generator/introspection/catalog.js';
import { catalogChanges } from '../../../runtime/schema/catalog-changes.js';
import { catalog, counter, ofType, table, type ColumnSketch } from '../../generator/catalogs.js';

const changes = (before: ColumnSketch, after: ColumnSketch): readonly string[] => {
  const [old, now] = [before, after].map((e) => catalog([table('chk', { id: counter(), e })]));
  return old === undefined || now === undefined ? [] : catalogChanges(old, now);
};

const mood = (...values: readonly string[]): ColumnSketch =>
  ofType({ kind: 'enum', values } satisfies ColumnType, { dbType: 'mood' });

it.each([
  ['added', mood('a'), mood('a', 'b', 'c'), "column chk.e changed: 'b', 'c' added"],
  ['removed', mood('a', 'b'), mood('a'), "column chk.e changed: 'b' removed"],
  ['renamed', mood('a', 'b'), mood('a', 'c'), "column chk.e changed: 'c' added, 'b' removed"],
  ['in another order', mood('a', 'b'), mood('b', 'a'), 'column chk.e changed'],
])('reports changed values of an enum with the same name: %s', (_, before, after, want) => {
  expect(changes(before, after)).toEqual([want]);
});

it('reports triggers that are new', () => {
  const before = table('chk', { id: counter() });
  expect(catalogChanges(catalog([before]), catalog([{ ...before, triggers: true }]))).toEqual([
    'triggers of chk changed',
  ]);
});
