/** Reads what MySQL and MariaDB hold of tables and indexes beyond the facts of a snapshot. */
import type { CatalogReader } from '../catalog.js';
import type { TableDetails } from '../details.js';

interface PropertiesRow {
  readonly engine: string | null;
  readonly type: string;
  readonly options: string | null;
  readonly isGarbled: boolean;
}

/**
 * Query of tables whose expressions may have characters of four bytes, for which the catalog of MariaDB has question marks.
 */
export const mariadbGarbled = `
  SELECT table_name AS name FROM information_schema.columns
  WHERE table_schema = DATABASE() AND generation_expression LIKE '%????%'
  UNION
  SELECT table_name FROM information_schema.check_constraints
  WHERE constraint_schema = DATABASE() AND check_clause LIKE '%????%'`;

/**
 * Returns the tables of which the catalog does not show all characters of expressions, unlike their statements.
 * @param query query of the names of tables for which that is possible; null where the catalog shows all
 */
export const readGarbled = async (
  reader: CatalogReader,
  query: string | null,
): Promise<ReadonlySet<string>> => {
  const names = query === null ? [] : (await reader.query(query)).map(({ name }) => String(name));
  const found = new Set<string>();
  for (const name of names) {
    const statement = await readStatement(reader, name);
    if (/[\u{10000}-\u{10ffff}]/u.test(statement)) found.add(name);
  }
  return found;
};

const readStatement = async (reader: CatalogReader, table: string): Promise<string> => {
  const [row] = await reader.query(`SHOW CREATE TABLE \`${table.replaceAll('`', '``')}\``);
  return String(row?.['Create Table'] ?? '');
};

/** Returns `incomplete` of a table. */
export const readProperties = ({
  engine,
  type,
  options,
  isGarbled,
}: PropertiesRow): Pick<TableDetails, 'incomplete'> => {
  const incomplete = [
    ...(engine === null || engine === 'InnoDB' ? [] : [`its engine is ${engine}`]),
    ...(type === 'SYSTEM VERSIONED' ? ['it keeps the history of its rows'] : []),
    ...(isGarbled ? ['its expressions have characters that the catalog does not show'] : []),
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
