/** Reads `catalog.json` of an earlier run, as input without a database and for comparison. */
import { readFile } from 'node:fs/promises';
import type { Catalog, IntrospectOptions } from './introspection/catalog.js';
import { createTableFilter } from './introspection/patterns.js';
import { compareModels, type BreakingChange } from './model/breaking.js';
import { assembleModel } from './model/build.js';
import type { Model } from './model/types.js';
import type { Spec } from './spec/types.js';

/** Reads a stored catalog, filtered like a live database, so that the output is identical. */
export const readStoredCatalog = async (file: string, tables: IntrospectOptions): Promise<Catalog> =>
  filterCatalog(parseCatalog(await readFile(file, 'utf8'), file), tables);

/** Returns the catalog with the tables that are served only. */
export const filterCatalog = (catalog: Catalog, tables: IntrospectOptions): Catalog => {
  const isWanted = createTableFilter(tables);
  return { ...catalog, tables: catalog.tables.filter(({ name }) => isWanted(name)) };
};

export interface Comparison {
  /** True where the stored catalog is one of this database, judged by its tables; `null` where there is none. */
  readonly isSameDatabase: boolean | null;
  readonly breaking: readonly BreakingChange[];
  readonly warnings: readonly string[];
}

/**
 * Returns the changes that break clients of the stored model. The output of another database, such as that of the demo
 * in a clone, has no clients to break. A file that cannot be read is a warning.
 */
export const compareWithStored = async (file: string, model: Model, spec: Spec): Promise<Comparison> => {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return { isSameDatabase: null, breaking: [], warnings: [] };
  try {
    const catalog = parseCatalog(text, file);
    const isEqual = JSON.stringify(catalog) === JSON.stringify(model.catalog);
    const isSameDatabase = isEqual || hasSameTables(catalog, model.catalog);
    const breaking =
      isEqual || !isSameDatabase ? [] : compareModels(assembleModel({ catalog, spec }).model, model);
    return { isSameDatabase, breaking, warnings: [] };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { isSameDatabase: null, breaking: [], warnings: [`Breaking changes are unknown: ${reason}`] };
  }
};

/** Returns whether two catalogs are of one kind of database, and the smaller has half of its own tables in common with the other. */
const hasSameTables = (before: Catalog, after: Catalog): boolean => {
  if (before.dialect !== after.dialect) return false;
  const [old, now] = [before, after].map(ownTables) as [ReadonlySet<string>, ReadonlySet<string>];
  const common = [...old].filter((name) => now.has(name)).length;
  return common * 2 >= Math.min(old.size, now.size);
};

const ownTables = ({ tables }: Catalog): ReadonlySet<string> =>
  new Set(tables.map(({ name }) => name).filter((name) => !name.startsWith('svc_')));

/** Parses a catalog. @throws Error naming the file and the expected content */
const parseCatalog = (text: string, file: string): Catalog => {
  const catalog = parseJson(text, file) as Partial<Catalog> | null;
  const isCatalog = Array.isArray(catalog?.tables) && catalog.meta instanceof Object && catalog.dialect;
  if (isCatalog) return catalog as Catalog;
  throw new Error(`${file} is not a catalog; expected a catalog.json written by svc generate`);
};

const parseJson = (text: string, file: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
};
