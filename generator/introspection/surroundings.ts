/** Reads the views and triggers of a live schema, whose SQL may name columns, and the size of its tables. */
import { readRows, type Count } from './dialect.js';
import type { CatalogReader } from './catalog.js';

export interface Program {
  readonly kind: 'view' | 'trigger';
  readonly name: string;
  /** The table of a trigger. */
  readonly table: string | null;
  readonly sql: string;
}

export interface Surroundings {
  /** By name. */
  readonly programs: readonly Program[];
  /** Bytes of tables with their indexes, as the database estimates them. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** Queries of one database. */
export interface SurroundingQueries {
  /** Selects `kind`, `name`, `table` and `sql` of views and triggers, by kind and name. */
  readonly programs: string;
  /** Selects `name` and `bytes` of tables. */
  readonly sizes: string;
}

/** Reads surroundings with the two queries of a database; a size that it does not know is null. */
export const readSurroundingsBy = async (
  reader: CatalogReader,
  { programs, sizes }: SurroundingQueries,
): Promise<Surroundings> => {
  const [programRows, sizeRows] = await Promise.all([
    readRows<Program>(reader, programs),
    readRows<{ readonly name: string; readonly bytes: Count | null }>(reader, sizes),
  ]);
  return {
    programs: programRows,
    bytes: new Map(sizeRows.flatMap(({ name, bytes }) => (bytes === null ? [] : [[name, Number(bytes)]]))),
  };
};
