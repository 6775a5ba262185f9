/** Asks MySQL and MariaDB by which algorithm and lock they alter a table. */
import type { ExactCost } from '../../schema/explain/table-changes.js';
import type { TableShape } from '../../schema/shapes.js';
import type { Database, Executor, MeasuredAlter, SchemaPrinter } from '../contract.js';
import { quote, quoteText } from './quoting.js';
import { dropScratch, scratchTable as copy, withScratch } from './scratch.js';

/** Algorithms and locks, cheapest first; a server that does not know `NOCOPY` refuses it like any other. */
const ways: readonly (ExactCost & { readonly clause: string })[] = [
  { algorithm: 'INSTANT', clause: 'algorithm=instant', lock: 'NONE', blocks: 'nothing' },
  { algorithm: 'NOCOPY', clause: 'algorithm=nocopy, lock=none', lock: 'NONE', blocks: 'nothing' },
  { algorithm: 'INPLACE', clause: 'algorithm=inplace, lock=none', lock: 'NONE', blocks: 'nothing' },
  { algorithm: 'INPLACE', clause: 'algorithm=inplace, lock=shared', lock: 'SHARED', blocks: 'writes' },
  { algorithm: 'COPY', clause: 'algorithm=copy', lock: 'SHARED', blocks: 'writes' },
];

/** Alters the copy in each way until the server takes one. A statement that is refused has no effect. */
export const measureAlter = (
  alterTable: SchemaPrinter['alterTable'],
  { before, after, former }: MeasuredAlter,
  database: Database,
): Promise<ExactCost | null> =>
  withScratch(database, async () => {
    await dropScratch(database);
    try {
      const table = former.table(before.name);
      await database.query(`create table ${quote(copy)} like ${quote(table)}`);
      const names = await checkNames(table, database);
      const renamed = before.columns.flatMap(({ name: to }) => {
        const from = former.column(before.name, to);
        return from === to ? [] : [`rename column ${quote(from)} to ${quote(to)}`];
      });
      if (renamed.length > 0) await database.query(`alter table ${quote(copy)} ${renamed.join(', ')}`);
      const [statement, ...others] = alterTable(onCopy(before, names), onCopy(after, names));
      if (statement === undefined || others.length > 0) return null;
      for (const { clause, ...cost } of ways) {
        if (await isTaken(`${statement}, ${clause}`, database))
          return { ...cost, ...rewritesBy[cost.algorithm] };
      }
      return null;
    } finally {
      await dropScratch(database);
    }
  });

/** `INPLACE` may write the rows again or not. */
const rewritesBy: Readonly<Record<string, Pick<ExactCost, 'rewrites'>>> = {
  INSTANT: { rewrites: false },
  NOCOPY: { rewrites: false },
  COPY: { rewrites: true },
};

const isTaken = (statement: string, database: Database): Promise<boolean> =>
  database.query(statement).then(
    () => true,
    (error: unknown) => {
      if (database.isConnectionLoss(error)) throw error;
      return false;
    },
  );

/** Returns the names of the copy's checks by those of the table: MySQL gives them new ones. */
const checkNames = async (table: string, executor: Executor): Promise<ReadonlyMap<string, string>> => {
  const rows = await executor.query(
    `select c.constraint_name as name, c.check_clause as clause, t.table_name as owner
    from information_schema.check_constraints c join information_schema.table_constraints t
    on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
    where c.constraint_schema = database() and t.constraint_type = 'CHECK'
    and t.table_name in (${quoteText(table)}, ${quoteText(copy)})`,
  );
  const clauses = new Map(
    rows.filter(({ owner }) => owner === copy).map(({ clause, name }) => [String(clause), String(name)]),
  );
  return new Map(
    rows
      .filter(({ owner }) => owner === table)
      .map(({ name, clause }) => [String(name), clauses.get(String(clause)) ?? String(name)]),
  );
};

/** Names of checks belong to the schema on MySQL. */
const onCopy = (table: TableShape, names: ReadonlyMap<string, string>): TableShape => ({
  ...table,
  name: copy,
  checks: table.checks.map((check, at) => ({
    ...check,
    name: names.get(check.name) ?? `svc_scratch_check_${at}`,
  })),
});
