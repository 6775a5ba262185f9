/** Finds rows that refer to nothing, which SQLite allows while foreign keys are switched off. */
import type Libsql from 'libsql';
import { invalidPayload, throwProblems } from '../../../contract/errors.js';

type Connection = InstanceType<typeof Libsql>;

interface Orphans {
  readonly table: string;
  readonly rows: number;
  readonly message: string;
}

/**
 * Refuses a change after which more rows of a table refer to nothing. Rows that did so before do not count: tools
 * that do not enforce foreign keys leave them.
 * @param changed is in the transaction of the change
 * @param former sees the tables as they were before
 * @throws INVALID_PAYLOAD
 */
export const refuseOrphans = (changed: Connection, former: Connection): void => {
  const found = readOrphans(changed);
  if (found.length === 0) return;
  const known = new Map(readOrphans(former).map(({ table, rows }) => [table, rows]));
  const [before, after] = [new Set(tablesOf(former)), new Set(tablesOf(changed))];
  const gone = [...known].filter(([table]) => !after.has(table)).map(([, rows]) => rows);
  // a table that was renamed brings its rows along
  const allowedIn = (table: string): number =>
    before.has(table) ? (known.get(table) ?? 0) : Math.max(0, ...gone);
  throwProblems(
    found
      .filter(({ table, rows }) => rows > allowedIn(table))
      .map(({ message }) => invalidPayload(`${message}; nothing was changed`)),
  );
};

const readOrphans = (connection: Connection): readonly Orphans[] =>
  tablesOf(connection).flatMap((table) => orphansOf(table, connection));

/** Returns the names of the tables with foreign keys. */
const tablesOf = (connection: Connection): readonly string[] => {
  const rows = connection
    .prepare('select distinct t.name from sqlite_master t, pragma_foreign_key_list(t.name) order by t.name')
    .all() as { readonly name: string }[];
  return rows.map(({ name }) => name);
};

const orphansOf = (table: string, connection: Connection): readonly Orphans[] => {
  try {
    const check = connection.prepare(
      'select count(*) as "rows", group_concat(distinct parent) as parents from pragma_foreign_key_check(?)',
    );
    const { rows, parents } = check.get(table) as { readonly rows: number; readonly parents: string };
    const message = `"${table}": ${rows} ${rows === 1 ? 'row refers' : 'rows refer'} to no row of ${parents}`;
    return rows === 0 ? [] : [{ table, rows, message }];
  } catch (error) {
    if (!(error as Error).message.startsWith('foreign key mismatch')) throw error;
    return [{ table, rows: 1, message: `"${table}": a relation refers to fields that are not unique` }];
  }
};
