/** Runs statements on a connection of mysql2; those with values are prepared once per connection. */
import type { PoolConnection, ResultSetHeader } from 'mysql2';
import type { RenderedStatement } from '../../sql/fragment.js';
import type { Token } from '../../sql/select.js';
import type { BindValue, RowLayout, TakeRows, WriteResult } from '../contract.js';
import type { PendingRead, ReadGroup } from '../gathered-reads.js';
import { pipeline } from './pipeline.js';
import { compileRows, writePacket, type MysqlProgram, type Packet } from './rows.js';
import { readColumnType, type ColumnType } from './types.js';
import { pauseUntil, RowChunks } from '../../execute/row-chunks.js';
import { RowCollector, type RowSet } from '../../execute/row-set.js';
import { sizeHint, rememberSize } from '../../execute/size-hints.js';
import { createStatements, type StatementCache } from '../statements.js';

/** Runs a statement and returns its rows as objects. Without values it is sent as text and not prepared. */
export const send = (
  connection: PoolConnection,
  text: string,
  values: readonly BindValue[],
): Promise<Record<string, unknown>[]> => {
  if (values.length > 0) {
    return withStatement(connection, text, (statement, callbacks) => {
      statement.execute(values, (error, rows) =>
        resolveOrReject(callbacks, error, rows as Record<string, unknown>[]),
      );
    });
  }
  return new Promise((resolve, reject) => {
    connection.query(text, (error, rows) =>
      resolveOrReject({ resolve, reject }, error, rows as Record<string, unknown>[]),
    );
  });
};

const resolveOrReject = <Result>(
  { resolve, reject }: PromiseCallbacks<Result>,
  error: Error | null,
  result: Result,
): void => {
  if (error === null) resolve(result);
  else reject(error);
};

/** Runs a prepared write and returns the number of rows and the first key that the database counted. */
export const sendWrite = (
  connection: PoolConnection,
  { text, values }: RenderedStatement,
): Promise<WriteResult> =>
  withStatement(connection, text, (statement, { resolve, reject }) => {
    statement.execute(values, (error, result) => {
      if (error === null) resolve(readResult(result as ResultSetHeader));
      else reject(error);
    });
  });

const readResult = ({ affectedRows, insertId }: ResultSetHeader): WriteResult =>
  insertId === 0 ? { affected: affectedRows } : { affected: affectedRows, generatedKey: String(insertId) };

/** The part of the definition of a parameter that the driver reads, so that it binds whole numbers as such. */
interface Hint {
  readonly columnType: number;
  readonly flags: number;
}

const hints = new Map<string, Hint>();

/** Returns one object for all parameters of a kind: their definitions would keep 200 bytes for each key of a long list. */
const hintOf = ({ columnType, flags }: Hint): Hint => {
  const name = `${columnType} ${flags}`;
  const present = hints.get(name);
  if (present !== undefined) return present;
  const hint = { columnType, flags };
  hints.set(name, hint);
  return hint;
};

/** A prepared statement of mysql2, whose types omit the command that `execute` returns. */
interface Statement {
  /** Read by the driver with each execution. */
  parameters: readonly Hint[];
  execute(values: readonly BindValue[], done: (error: Error | null, result: unknown) => void): Command;
}

/** A command reads the response packet by packet; each state is a function that returns the next one. */
interface Command {
  readField: State;
}

type State = (this: Command & { done(): null }, packet: Packet & { isEOF(): boolean }) => State | null;

const statementsOf = new WeakMap<PoolConnection, StatementCache<Statement>>();

const statementsOfConnection = (connection: PoolConnection): StatementCache<Statement> => {
  const present = statementsOf.get(connection);
  if (present !== undefined) return present;
  // through the driver, whose own cache would return the closed statement again
  const created = createStatements<Statement>((text) => connection.unprepare(text));
  statementsOf.set(connection, created);
  return created;
};

interface PromiseCallbacks<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

const withStatement = <Result>(
  connection: PoolConnection,
  text: string,
  run: (statement: Statement, callbacks: PromiseCallbacks<Result>) => void,
): Promise<Result> =>
  new Promise<Result>((resolve, fail) => {
    // for logs, because the driver does not add the text of a prepared statement
    const reject = (error: Error): void => fail(Object.assign(error, { sql: text }));
    const statements = statementsOfConnection(connection);
    const present = statements.get(text);
    if (present !== undefined) return run(present, { resolve, reject });
    connection.prepare(text, (error, info) => {
      if (error !== null) return reject(error);
      const statement = info as unknown as Statement;
      statement.parameters = statement.parameters.map(hintOf);
      statements.set(text, statement);
      run(statement, { resolve, reject });
    });
  });

/** Receives the rows of a statement. */
interface RowTarget {
  readonly collector: RowCollector;
  /** Called after each row. Returns what has to be waited for before the next one. */
  cut?(): Promise<void> | null;
}

/** Runs a prepared statement and returns its rows as JSON. */
export const readRows = async (
  connection: PoolConnection,
  statement: RenderedStatement,
  layout: RowLayout,
): Promise<RowSet> => {
  const { text } = statement;
  const collector = new RowCollector(sizeHint(text), layout);
  await collectRows(connection, { statement, layout, target: { collector } });
  rememberSize(text, collector.writer.neededSize);
  return collector.finish();
};

/** Runs a prepared statement and passes its rows on as JSON, chunk by chunk. */
export const readChunks = async (
  connection: PoolConnection,
  { statement, layout, take }: Pick<RowsCall, 'statement' | 'layout'> & { readonly take: TakeRows },
): Promise<void> => {
  const chunks = new RowChunks(layout, take);
  await collectRows(connection, { statement, layout, target: chunks });
  await chunks.end();
};

interface RowsCall {
  readonly statement: RenderedStatement;
  readonly layout: RowLayout;
  readonly target: RowTarget;
}

/**
 * Runs a prepared statement and writes each row packet as JSON when it arrives. The states below replace those of
 * mysql2's command, which would parse every column definition and create an object per row.
 */
const collectRows = (
  connection: PoolConnection,
  { statement: { text, values }, layout, target }: RowsCall,
): Promise<void> =>
  withStatement(connection, text, (statement, { resolve, reject }) => {
    const columns: ColumnType[] = [];
    let program: MysqlProgram | null = null;
    let failure: Error | null = null;
    const fail = (error: Error): void => {
      failure = error;
    };

    const row: State = function row(packet) {
      if (packet.isEOF()) return this.done();
      try {
        program ??= programFor(layout, columns);
        if (failure === null) writePacket(packet, program, target.collector);
        const taken = target.cut?.() ?? null;
        if (taken !== null) pauseUntil(taken, connection, fail);
      } catch (error) {
        fail(error as Error);
      }
      return row;
    };
    const readField: State = function readField(packet) {
      if (packet.isEOF()) return row;
      columns.push(readColumnType(packet));
      return readField;
    };

    const command = statement.execute(values, (error) => {
      if (error !== null || failure !== null) return reject(error ?? (failure as Error));
      resolve();
    });
    command.readField = readField;
  });

/** Answers reads with the same text. @throws an error of the preparation, which is that of all */
export const readGroup = async (connection: PoolConnection, reads: ReadGroup): Promise<void> => {
  const [first, ...others] = reads;
  if (others.length === 0) return answer(first, connection);
  await withStatement<void>(connection, first.statement.text, (_, { resolve }) => resolve());
  await Promise.all(await pipeline(connection, () => reads.map((read) => answer(read, connection))));
};

const answer = ({ statement, layout, resolve, reject }: PendingRead, connection: PoolConnection) =>
  readRows(connection, statement, layout).then(resolve, reject);

const programs = new WeakMap<readonly Token[], MysqlProgram>();

/** Returns the program of the last result with the same tokens, or compiles one if the columns have changed. */
const programFor = (layout: RowLayout, columns: readonly ColumnType[]): MysqlProgram => {
  const present = programs.get(layout.tokens);
  if (present !== undefined && isSame(present.columns, columns)) return present;
  const compiled = compileRows(layout, columns);
  programs.set(layout.tokens, compiled);
  return compiled;
};

const isSame = (left: readonly ColumnType[], right: readonly ColumnType[]): boolean =>
  left.length === right.length &&
  left.every((column, index) => {
    const other = right[index];
    return (
      column.type === other?.type &&
      column.unsigned === other.unsigned &&
      column.decimals === other.decimals &&
      column.binary === other.binary
    );
  });
