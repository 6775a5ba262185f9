/** Compares the database with the catalog of the build that is served, which a migration may have outdated. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalog } from '../../generator/introspection/catalog.js';
import type { Database } from '../databases/contract.js';
import type { BuildInfo } from './build.js';

/** Milliseconds for which a result is used again: the comparison reads the whole schema. */
const reuse = 5000;

/** Returns a function that returns what changed in the database since the build, such as `column a.b removed`. */
export const createSchemaCheck = (
  directory: string,
  database: Database,
): (() => Promise<readonly string[]>) => {
  let last: { readonly until: number; readonly changes: Promise<readonly string[]> } | null = null;
  return () => {
    const now = performance.now();
    if (last === null || now >= last.until)
      last = { until: now + reuse, changes: compare(directory, database) };
    return last.changes;
  };
};

const compare = async (directory: string, database: Database): Promise<readonly string[]> => {
  const [{ readServedCatalog }, { catalogChanges }] = await Promise.all([
    import('../schema/served-catalog.js'),
    import('../schema/catalog-changes.js'),
  ]);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(directory, name), 'utf8'));
  const { tables } = read('build.json') as BuildInfo;
  return catalogChanges(read('catalog.json') as Catalog, await readServedCatalog(database, tables));
};
