/** Tables of a catalog by name, with the spec's columns of system tables. */
import type { BrokenKey, Catalog, Column, Table } from '../introspection/catalog.js';
import { listWords } from '../spec/faults.js';
import type { ColumnSpec, Spec } from '../spec/types.js';
import type { Findings } from './findings.js';

export interface CollectionTable {
  readonly table: Table;
  readonly columns: ReadonlyMap<string, Column>;
  /** Columns as the spec declares them; `null` where it is not a system table. */
  readonly system: ReadonlyMap<string, ColumnSpec> | null;
}

export type Tables = ReadonlyMap<string, CollectionTable>;

/** Returns collection tables: all except internal ones and undeclared ones with svc's prefix. */
export const collectionTables = (catalog: Catalog, spec: Spec, warnings: string[]): Tables => {
  const tables = new Map<string, CollectionTable>();
  for (const table of catalog.tables) {
    const file = spec.collections.get(table.name);
    const system = file?.columns ?? null;
    if (file?.internal === true) continue;
    if (system === null && table.name.startsWith('svc_')) {
      warnings.push(`${table.name}: names that start with "svc_" are reserved; the table is left out`);
    } else {
      tables.set(table.name, {
        table,
        columns: new Map(table.columns.map((column) => [column.name, column])),
        system,
      });
    }
  }
  return tables;
};

/** Warns about foreign keys that the database accepted unchecked and cannot use. */
export const warnBrokenKeys = (tables: Tables, warnings: string[]): void => {
  for (const [name, { table }] of tables) {
    for (const { columns, table: target, references, fault } of table.broken ?? []) {
      const goal = references.length === 0 ? target : `${target}.${references.join(', ')}`;
      const refused = listWords([...new Set([name, target].filter((each) => tables.has(each)))], 'and');
      warnings.push(
        `${name}.${columns.join(', ')}: it refers to ${goal}, ${faults[fault]}; the database refuses writes to ${refused}`,
      );
    }
  }
};

const faults: Readonly<Record<BrokenKey['fault'], string>> = {
  missing: 'which does not exist',
  keyless: 'which has no such primary key',
  ambiguous: 'which is not unique',
};

/** Reports missing or outdated system tables, without which a database cannot be served. */
export const checkSystemTables = (catalog: Catalog, spec: Spec, { faults }: Findings): void => {
  const tables = new Map(catalog.tables.map((table) => [table.name, table]));
  const declared = [...spec.collections.values()].filter(({ columns }) => columns !== null);
  const missing = declared
    .filter(({ collection }) => !tables.has(collection))
    .map(({ collection }) => collection);
  const remedy = 'run "svc bootstrap"';
  if (missing.length > 0) {
    const message =
      missing.length === declared.length
        ? 'it has no system tables'
        : `missing system tables: ${missing.join(', ')}`;
    faults.push({ where: 'database', message, remedy });
  }
  for (const { collection, columns } of declared) {
    const present = tables.get(collection)?.columns.map(({ name }) => name);
    const absent = [...(columns?.keys() ?? [])].filter((column) => present?.includes(column) === false);
    if (absent.length === 0) continue;
    faults.push({ where: `table ${collection}`, message: `it lacks ${listWords(absent, 'and')}`, remedy });
  }
};
