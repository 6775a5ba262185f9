/** Writes down the statements that go through a database. */
import type { BindValue, Database, Executor } from '../../../runtime/databases/contract.js';

export interface Recorder {
  readonly database: Database;
  /** Returns the plans recorded since the last call, as one text. */
  take(): string;
}

export const createRecorder = (database: Database): Recorder => {
  let statements: string[] = [];
  const note = (text: string, values: readonly BindValue[]): void => {
    statements.push(print(text, values));
  };
  return {
    database: {
      ...database,
      ...record(database, note),
      async transaction(body) {
        statements.push('begin');
        try {
          const result = await database.transaction((executor) => body(record(executor, note)));
          statements.push('commit');
          return result;
        } catch (error) {
          statements.push('rollback');
          throw error;
        }
      },
    },
    take() {
      const text = statements.map((statement) => `${statement};\n`).join('\n');
      statements = [];
      return text;
    },
  };
};

const record = (
  executor: Executor,
  note: (text: string, values: readonly BindValue[]) => void,
): Executor => ({
  quote: executor.quote,
  rows(statement, layout) {
    note(statement.text, statement.values);
    return executor.rows(statement, layout);
  },
  query(text, values = []) {
    note(text, values);
    return executor.query(text, values);
  },
  write(statement) {
    note(statement.text, statement.values);
    return executor.write(statement);
  },
  writeRows(statement, layout) {
    note(statement.text, statement.values);
    return executor.writeRows(statement, layout);
  },
});

/** A line per clause; values behind. */
const print = (text: string, values: readonly BindValue[]): string => {
  const lines = text.replaceAll(clause, (found, offset: number) =>
    isOutside(text.slice(0, offset)) ? `\n${found.trimStart()}` : found,
  );
  return values.length === 0 ? lines : `${lines}\n-- ${values.map(printValue).join(', ')}`;
};

const clause = / (?:from|left join|join|where|order by|limit|union all|returning|set|values) /g;

/** Outside of all brackets. */
const isOutside = (before: string): boolean => before.split('(').length === before.split(')').length;

const printValue = (value: BindValue): string => {
  if (value === null) return 'null';
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
};
