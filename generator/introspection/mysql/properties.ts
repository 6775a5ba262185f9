/** Reads what MySQL and MariaDB hold of tables and indexes beyond the facts of a snapshot. */
import type { CatalogReader } from '../catalog.js';
import type { TableDetails } from '../details.js';
import { quote } from './quoting.js';

interface PropertiesRow {
  readonly engine: string | null;
  readonly type: string;
  readonly options: string | null;
  /** True where it has characters that could not be read. */
  readonly isUnread: boolean;
}

const readStatement = async (reader: CatalogReader, table: string): Promise<string> => {
  const [row] = await reader.query(`SHOW CREATE TABLE ${quote(table)}`);
  return String(row?.['Create Table'] ?? '');
};

/** Returns `incomplete` of a table. */
export const readProperties = ({
  engine,
  type,
  options,
  isUnread,
}: PropertiesRow): Pick<TableDetails, 'incomplete'> => {
  const incomplete = [
    ...(engine === null || engine === 'InnoDB' ? [] : [`its engine is ${engine}`]),
    ...(type === 'SYSTEM VERSIONED' ? ['it keeps the history of its rows'] : []),
    ...(isUnread ? ['it has characters that the user of the database may not read'] : []),
    ...(/\bpartitioned\b/.test(options ?? '') ? ['it is partitioned'] : []),
  ];
  return incomplete.length === 0 ? {} : { incomplete };
};

/** Returns the table and name of full-text indexes with a parser, which only the statement of the table has. */
export const readParsers = async (
  reader: CatalogReader,
  indexRows: readonly { readonly table: string; readonly method: string }[],
): Promise<ReadonlySet<string>> => {
  const tablesOfWords = new Set(
    indexRows.filter(({ method }) => method === 'FULLTEXT').map(({ table }) => table),
  );
  const found = new Set<string>();
  for (const table of tablesOfWords) {
    const statement = await readStatement(reader, table);
    for (const [, name = ''] of statement.matchAll(/FULLTEXT KEY `((?:[^`]|``)+)`[^\n]*WITH PARSER/g))
      found.add(`${table}\0${name.replaceAll('``', '`')}`);
  }
  return found;
};
