/** Reads the stored objects of a live schema: views and triggers, whose SQL may name columns, and the sizes of tables. */
import { readRows, type Count } from './dialect.js';
import type { CatalogReader } from './catalog.js';

/** A view or trigger, with the SQL that defines it. */
export interface ViewOrTrigger {
  readonly kind: 'view' | 'trigger';
  readonly name: string;
  /** The table of a trigger. */
  readonly table: string | null;
  /** Its SQL, as far as the database does not keep track of what that uses. */
  readonly sql: string;
  /** Tables and columns that it uses, where the database keeps track of them: it refuses to drop them. */
  readonly uses?: Uses;
}

type Uses = readonly { readonly table: string; readonly column: string | null }[];

/** Views, triggers and sizes of tables that a catalog does not contain. */
export interface StoredObjects {
  /** By name. */
  readonly viewsAndTriggers: readonly ViewOrTrigger[];
  /** Bytes of tables with their indexes, as the database estimates them. */
  readonly bytes: ReadonlyMap<string, number>;
}

/** Catalog queries of one database for its stored objects. */
export interface StoredObjectQueries {
  /** Selects `kind`, `name`, `table`, `sql` and, where it is known, `uses` as JSON of views and triggers, by kind and name. */
  readonly viewsAndTriggers: string;
  /** Selects `name` and `bytes` of tables. */
  readonly sizes: string;
}

/** Reads stored objects with the two queries of a database; tables of unknown size are left out. */
export const readStoredObjectsBy = async (
  reader: CatalogReader,
  { viewsAndTriggers, sizes }: StoredObjectQueries,
): Promise<StoredObjects> => {
  const [viewAndTriggerRows, sizeRows] = await Promise.all([
    readRows<Omit<ViewOrTrigger, 'uses'> & { readonly uses?: string }>(reader, viewsAndTriggers),
    readRows<{ readonly name: string; readonly bytes: Count | null }>(reader, sizes),
  ]);
  return {
    viewsAndTriggers: viewAndTriggerRows.map(({ uses, ...row }) =>
      uses === undefined ? row : Object.assign(row, { uses: JSON.parse(uses) as Uses }),
    ),
    bytes: new Map(sizeRows.flatMap(({ name, bytes }) => (bytes === null ? [] : [[name, Number(bytes)]]))),
  };
};
