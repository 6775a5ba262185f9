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

const findMissing = async (database: Database, table: Table): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  for (const [action, probe] of probesOf(table, database)) {
    const reason = await failureOf(database, probe);
    if (reason !== null) findings.push(problem(`cannot ${action} ${table.name}: ${reason}`));
  }
  return findings;
};

type Probe = (executor: Executor) => Promise<unknown>;

const write =
  (text: string): Probe =>
  (executor) =>
    executor.write({ text, values: [] });

/** Statements that require a right on a table, and meet no row. */
const probesOf = ({ name, kind, columns }: Table, { quote }: Database): ReadonlyMap<string, Probe> => {
  const table = quote(name);
  const probes = new Map<string, Probe>([
    ['read', (executor) => executor.query(`select 1 from ${table} where 1 = 0`)],
  ]);
  if (kind === 'view') return probes;
  const written = columns
    .filter(({ autoIncrement, generated }) => !autoIncrement && generated === null)
    .map((column) => quote(column.name));
  const [first] = written;
  if (first !== undefined) {
    const list = written.join(', ');
    probes.set(
      'insert into',
      write(`insert into ${table} (${list}) select ${list} from ${table} where 1 = 0`),
    );
    probes.set('update', write(`update ${table} set ${first} = ${first} where 1 = 0`));
  }
  return probes.set('delete from', write(`delete from ${table} where 1 = 0`));
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
