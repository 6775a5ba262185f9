/** The processes of all hosts that serve the API (`svc_processes`), by the clock of the database. */
import type { Database } from '../databases/contract.js';
import { deleteRows, type Statements } from '../execute/system-rows.js';

export interface ProcessRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** Generation of the schema, as the oldest request in progress sees it. */
  readonly generation: number;
  readonly state: 'running' | 'ending';
}

/** Milliseconds between two beats of a process, and without one until it counts as gone. */
export const beatInterval = 1_000;
export const goneAfter = 5_000;
/** Milliseconds after which the row of a process that is gone is deleted. */
const keptFor = 60_000;

/** Records that a process serves. */
export const beatProcess = async (
  statements: Statements,
  { sql: { clock } }: Pick<Database, 'sql'>,
  { id, host, pid, version, generation, state }: ProcessRow,
): Promise<void> => {
  const { affected } = await statements.write({
    text: `update svc_processes set generation = ?, state = ?, date_seen = ${clock} where id = ?`,
    values: [generation, state, id],
  });
  if (affected > 0) return;
  await statements.write({
    text: `delete from svc_processes where date_seen < ${clock} - ${keptFor}`,
    values: [],
  });
  await statements.write({
    text:
      'insert into svc_processes (id, host, pid, role, version, generation, state, date_seen) ' +
      `values (?, ?, ?, 'api', ?, ?, ?, ${clock})`,
    values: [id, host, pid, version, generation, state],
  });
};

/**
 * Removes a process that ends. One that is killed is taken for ended when it has not been seen for a while.
 */
export const removeProcess = async (statements: Statements, id: string): Promise<void> => {
  await deleteRows(statements, 'svc_processes', { id });
};

/** Returns the processes that have been seen lately. */
export const liveProcesses = async (
  database: Pick<Database, 'query' | 'sql'>,
): Promise<readonly Pick<ProcessRow, 'host' | 'pid' | 'generation'>[]> => {
  const rows = await database.query(
    `select host, pid, generation from svc_processes where date_seen > ${database.sql.clock} - ${goneAfter}`,
  );
  return rows.map(({ host, pid, generation }) => ({
    host: String(host),
    pid: Number(pid),
    generation: Number(generation),
  }));
};
