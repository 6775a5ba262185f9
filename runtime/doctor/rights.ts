/** Checks that the user of the database has the rights that the served tables need. */
import type { Table } from '../../generator/introspection/catalog.js';
import type { Database, Executor } from '../databases/contract.js';
import { problem, type Check, type Finding } from './check.js';

export const rightsCheck: Check = {
  name: 'rights of the database user',
  async run({ database, model }) {
    const findings: Finding[] = [];
    for (const table of model.catalog.tables) findings.push(...(await findMissing(database, table)));
    return findings;
  },
};

/** Returns what the user may not do with a table, or with some of its columns where the rights are those of columns. */
const findMissing = async (database: Database, table: Table): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const { action, columns, probe } of actionsOf(table, database)) {
    const reason = await failureOf(database, probe(columns));
    if (reason === null) continue;
    const refused = columns.length > 1 ? await findRefused(database, columns, probe) : [];
    const isWhole = refused.length === 0 || refused.length === columns.length;
    const places = isWhole ? [table.name] : refused.map((name) => `${table.name}.${name}`);
    for (const place of places) findings.push(problem(`cannot ${action} ${place}: ${reason}`));
  }
  return findings;
};

const findRefused = async (
  database: Database,
  columns: readonly string[],
  probe: Action['probe'],
): Promise<readonly string[]> => {
  const refused: string[] = [];
  for (const name of columns) if ((await failureOf(database, probe([name]))) !== null) refused.push(name);
  return refused;
};

type Probe = (executor: Executor) => Promise<unknown>;

interface Action {
  readonly action: string;
  /** Columns that the action concerns. */
  readonly columns: readonly string[];
  /** Returns a statement that requires the right to some columns, and meets no row. */
  probe(columns: readonly string[]): Probe;
}

const write =
  (text: string): Probe =>
  (executor) =>
    executor.write({ text, values: [] });

const actionsOf = ({ name, kind, columns: all }: Table, { quote }: Database): readonly Action[] => {
  const table = quote(name);
  const list = (names: readonly string[]): string => names.map((each) => quote(each)).join(', ');
  const read: Action = {
    action: 'read',
    columns: all.map((column) => column.name),
    probe: (names) => (executor) =>
      executor.query(
        `select ${names.map((each, at) => `${quote(each)} as c${at}`).join(', ') || '1'} from ${table} where 1 = 0`,
      ),
  };
  if (kind === 'view') return [read];
  const columns = all
    .filter(({ autoIncrement, generated }) => !autoIncrement && generated === null)
    .map((column) => column.name);
  const actions: readonly Action[] = [
    {
      action: 'insert into',
      columns,
      probe: (names) =>
        write(
          `insert into ${table} (${list(names)}) select ${names.map(() => 'null').join(', ')} where 1 = 0`,
        ),
    },
    {
      action: 'update',
      columns,
      probe: (names) =>
        write(`update ${table} set ${names.map((each) => `${quote(each)} = null`).join(', ')} where 1 = 0`),
    },
  ];
  return [
    read,
    ...(columns.length === 0 ? [] : actions),
    { action: 'delete from', columns: [], probe: () => write(`delete from ${table} where 1 = 0`) },
  ];
};

/**
 * Returns why the database refuses a statement, or null. The statement is rolled back: some triggers run even where no row
 * is met.
 */
const failureOf = async (database: Database, probe: Probe): Promise<string | null> => {
  const done = new Error('rolled back');
  const outcome: unknown = await database
    .transaction(async (executor) => {
      await probe(executor);
      throw done;
    })
    .catch((error: unknown) => error);
  if (outcome === done) return null;
  return outcome instanceof Error ? outcome.message : String(outcome);
};
