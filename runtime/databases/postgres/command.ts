/** One statement on its way: what is sent for it, and what becomes of the answer. pg calls the methods. */
import type { BindValue } from '../contract.js';
import type { RowClient, RowConnection } from './client.js';
import type { Column, DataRow, PostgresProgram } from './rows.js';
import { bindToText } from './values.js';

/** A statement that a connection has prepared, or is about to. */
export interface Prepared {
  readonly name: string;
  /** With numbered placeholders. */
  readonly text: string;
  /** Told by the server when it is prepared; a change makes it refuse the statement. */
  columns: readonly Column[];
  /** Of the layout it was run with last. */
  program: PostgresProgram | null;
}

export interface Question {
  readonly text: string;
  /** `null`: sent as text, without values. */
  readonly prepared: Prepared | null;
  readonly values: readonly BindValue[];
  row(row: DataRow, columns: readonly Column[]): void;
}

/** @returns what the database says it has done, such as `UPDATE 3` */
export const ask = (client: RowClient, question: Question): Promise<string> =>
  new Promise((resolve, reject) => {
    client.query(new Command(question, client.dropped, { resolve, reject }));
  });

interface Settle {
  resolve(tag: string): void;
  reject(error: Error): void;
}

interface DriverMessage {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Messages of class 22 quote the value they are about, which is nobody's business but the sender's. */
const withoutValue = (error: Error): Error => {
  if (!String((error as { code?: unknown }).code).startsWith('22')) return error;
  const { message, stack = '' } = error;
  error.message = message.replace(/".*"/s, '"…"');
  error.stack = stack.replace(message, () => error.message);
  return error;
};

class Command {
  /** By this pg keeps what a connection has parsed. */
  readonly name: string | undefined;
  readonly text: string;
  readonly #question: Question;
  readonly #dropped: string[];
  readonly #settle: Settle;
  #columns: readonly Column[];
  #tag = '';
  #failure: Error | null = null;

  constructor(question: Question, dropped: string[], settle: Settle) {
    this.#question = question;
    this.#dropped = dropped;
    this.#settle = settle;
    this.name = question.prepared?.name;
    this.text = question.prepared?.text ?? question.text;
    this.#columns = question.prepared?.columns ?? [];
  }

  submit(connection: RowConnection): void {
    connection.onRow = (row) => this.#takeRow(row);
    const { prepared, values } = this.#question;
    if (prepared === null) return connection.query(this.text);
    const { name, text } = prepared;
    connection.stream.cork();
    for (const old of this.#dropped.splice(0)) connection.close({ type: 'S', name: old });
    if (connection.parsedStatements[name] === undefined) {
      connection.parse({ name, text });
      connection.describe({ type: 'S', name });
    }
    connection.bind({ statement: name, values: values.map(bindToText) });
    connection.execute();
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: DriverMessage): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID }));
    if (this.#question.prepared !== null) this.#question.prepared.columns = this.#columns;
  }

  #takeRow(row: DataRow): void {
    if (this.#failure !== null) return;
    try {
      this.#question.row(row, this.#columns);
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#tag = text;
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.#settle.resolve(this.#tag);
    else this.#settle.reject(this.#failure);
  }

  handleError(error: Error): void {
    this.#settle.reject(Object.assign(withoutValue(error), { sql: this.#question.text }));
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: RowConnection): void {
    connection.sendCopyFail('nothing is copied');
  }

  handleCopyData(): void {}
}
