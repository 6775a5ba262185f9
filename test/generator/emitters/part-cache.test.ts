/** A run that keeps parts of the last one emits the same bytes as one that makes all. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { emit } from '../../../generator/emitters/index.js';
import type { Catalog, Table } from '../../../generator/introspection/catalog.js';
import { createPartCache } from '../../../generator/part-cache.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Model, OutputFile } from '../../../generator/model/types.js';
import { catalog, integer, key, ofType, smallSpec, string, table, type ColumnSketch } from '../catalogs.js';
import { collection, counter, field, model } from '../models.js';
import { manyToOne } from './relations.js';

/** Some of these become equal once they are spelled for an API. */
const tableNames = ['works', 'Works', 'works_filter', 'artists', 'artistsCreate', 'a b'];

const keyTypes: readonly ColumnSketch[] = [string(36), string(80), integer(), ofType({ kind: 'uuid' })];

const tableArbitrary: fc.Arbitrary<Table> = fc
  .record({
    name: fc.constantFrom(...tableNames),
    idType: fc.constantFrom(...keyTypes),
    comment: fc.constantFrom(null, 'Shown\nto readers'),
    title: fc.constantFrom(string(20), string(40, { nullable: true }), integer()),
    targets: fc.uniqueArray(fc.constantFrom(...tableNames), { maxLength: 2 }),
    isKeyless: fc.boolean(),
  })
  .map(({ name, idType, comment, title, targets, isKeyless }) => {
    const owners = targets.map((target, index) => [`owner${index}`, target] as const);
    const columns = Object.fromEntries(owners.map(([column]) => [column, { ...idType, nullable: true }]));
    return table(
      name,
      { id: idType, title, ...columns },
      {
        comment,
        foreignKeys: owners.map(([column, target]) => key([column], target)),
        ...(isKeyless && { primaryKey: null }),
      },
    );
  });

const metaArbitrary = fc.record({
  collections: fc
    .uniqueArray(fc.constantFrom(...tableNames), { maxLength: 2 })
    .map((names) => names.map((name) => ({ collection: name, singleton: true, note: 'One only' }))),
});

const catalogArbitrary: fc.Arbitrary<Catalog> = fc
  .tuple(fc.uniqueArray(tableArbitrary, { minLength: 1, selector: ({ name }) => name }), metaArbitrary)
  .map(([tables, meta]) => catalog(tables, meta));

const toText = (files: readonly OutputFile[]): string =>
  files.map(({ path, content }) => `${path}\n${content}`).join('\n');

const modelOf = (of: Catalog): Model | null => {
  try {
    return buildModel({ catalog: of, spec: smallSpec }).model;
  } catch {
    // names that exclude each other
    return null;
  }
};

it('after any change, kept parts and new ones are the bytes of a run that makes all', () => {
  const counts = { compared: 0 };
  fc.assert(
    fc.property(fc.array(catalogArbitrary, { minLength: 2, maxLength: 4 }), (catalogs) => {
      const cache = createPartCache();
      for (const each of catalogs) {
        const made = modelOf(each);
        if (made === null) continue;
        counts.compared += 1;
        expect(toText(emit(made, cache))).toBe(toText(emit(made)));
      }
    }),
    { numRuns: process.env.LONG === undefined ? 40 : 2_000 },
  );
  expect(counts.compared).toBeGreaterThan(10);
});

it('parts are made again when a collection that they look at comes, changes or goes', () => {
  const cache = createPartCache();
  const works = collection('works', [counter('id'), field('artist', 'integer')], {
    relations: [manyToOne('artist', 'artists')],
  });
  const artists = collection('artists', [counter('id')]);
  const other = { ...collection('artists', [field('id', 'uuid', { primaryKey: true })]), hash: 'other' };
  for (const collections of [[works], [artists, works], [other, works], [works]])
    expect(toText(emit(model(collections), cache))).toBe(toText(emit(model(collections))));
});

it('nothing is made again where nothing has changed', () => {
  const cache = createPartCache();
  const made: string[] = [];
  const run = (identity: string): void => {
    cache.begin();
    for (const name of ['a', 'b'])
      cache.getOrMake(
        name,
        (seen) => `${seen} ${seen === 'b' ? identity : ''}`,
        (see) => {
          see(name);
          made.push(name);
        },
      );
  };
  run('1');
  run('1');
  run('2');
  expect(made).toEqual(['a', 'b', 'b']);
});
