/** Breaking changes are looked for only where the stored catalog is of the same database. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Catalog } from '../../generator/introspection/catalog.js';
import { buildModel } from '../../generator/model/build.js';
import { loadSpec } from '../../generator/spec/load.js';
import { compareWithStored } from '../../generator/stored-catalog.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-catalog-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const shop = JSON.parse(readFileSync('test/cases/shop/catalog.json', 'utf8')) as Catalog;
const spec = await loadSpec(['test/cases/base-spec']);
const { model } = buildModel({ catalog: shop, spec });

/** Compares the shop with a stored catalog that has some of its five tables, and some others. */
const isSame = async (kept: number, others: number, dialect = shop.dialect) => {
  const [table] = shop.tables;
  const own = shop.tables.filter(({ name }) => !name.startsWith('svc_'));
  const added = Array.from({ length: others }, (_, index) => ({
    ...table,
    name: `other_${index}`,
    foreignKeys: [],
  }));
  const file = join(folder, 'catalog.json');
  writeFileSync(file, JSON.stringify({ ...shop, dialect, tables: [...own.slice(0, kept), ...added] }));
  return (await compareWithStored(file, model, spec)).isSameDatabase;
};

it.each([
  ['all of its tables', 5, 0, true],
  ['few of its tables, and no others', 2, 0, true],
  ['half of its tables, and as many others', 2, 2, true],
  ['fewer of its tables than others', 2, 3, false],
  ['its tables, and many others', 5, 20, true],
  ['none of its tables', 0, 5, false],
])('a catalog with %s is of the same database: %i and %i, %s', async (_, kept, others, expected) => {
  expect(await isSame(kept, others)).toBe(expected);
});

it('a catalog of another kind of database is never of the same', async () => {
  expect(await isSame(5, 0, 'postgres')).toBe(false);
});

it('where there is no catalog, or none that can be read, nothing is compared', async () => {
  expect(await compareWithStored(join(folder, 'none.json'), model, spec)).toEqual({
    isSameDatabase: null,
    breaking: [],
    warnings: [],
  });
  const file = join(folder, 'broken.json');
  writeFileSync(file, '{"tables": 1}');
  expect(await compareWithStored(file, model, spec)).toMatchObject({
    isSameDatabase: null,
    warnings: [expect.stringContaining('is not a catalog')],
  });
});
