/** Sends a statement over pg's protocol layer and reads the response; pg calls the methods of `Command`. */
import type { Submittable } from 'pg';
import type { BindValue } from '../contract.js';
import type { RowClient, RowConnection } from './client.js';
import type { Column, DataRow, PostgresProgram } from './rows.js';
import { addErrorCode } from './errors.js';
import { pauseUntil } from '../../execute/row-chunks.js';
import { bindToText } from './values.js';

/** A prepared statement of a connection. */
export interface Prepared {
  readonly name: string;
  /** SQL with numbered placeholders. */
  readonly text: string;
  /** Columns described by the server at PREPARE; it rejects the statement after a change. */
  columns: readonly Column[];
  /** Program of the layout with which it was last executed. */
  program: PostgresProgram | null;
}

export interface CommandOptions {
  readonly text: string;
  /** `null` sends the text without values. */
  readonly prepared: Prepared | null;
  readonly values: readonly BindValue[];
  row(row: DataRow, columns: readonly Column[]): void;
  /** Called after each row. Returns what has to be waited for before further ones are received; those that have been follow. */
  cut?(): Promise<void> | null;
}

/** Runs a statement. @returns the command tag, such as `UPDATE 3` */
export const runCommand = (client: RowClient, options: CommandOptions): Promise<string> =>
  startCommand(client, options, (command) => client.query(command));

const startCommand = (
  client: RowClient,
  options: CommandOptions,
  send: (command: Command) => void,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => reject(addErrorCode(error));
    send(new Command(options, client.evictedNames, { resolve, reject: fail }));
  });

/** Runs a statement, alone or together with others. */
export type RunCommand = typeof runCommand;

/**
 * Runs the statements that `start` runs with its argument in one round trip; they must be prepared. After one that fails,
 * the server skips the others, which fail with the same error.
 */
export const runPipelined = <Result>(client: RowClient, start: (run: RunCommand) => Result): Result => {
  const commands: Command[] = [];
  const result = start((_, options) => startCommand(client, options, (command) => commands.push(command)));
  if (commands.length > 0) client.query(new Commands(commands) as unknown as Submittable);
  return result;
};

interface PromiseCallbacks {
  resolve(tag: string): void;
  reject(error: Error): void;
}

interface DriverMessage {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** Removes the quoted value from messages of class 22 (data exceptions), because it may be confidential. */
const redactValue = (error: Error): Error => {
  if (!String((error as { code?: unknown }).code).startsWith('22')) return error;
  const { message, stack = '' } = error;
  error.message = message.replace(/".*"/s, '"…"');
  error.stack = stack.replace(message, () => error.message);
  return error;
};

class Command {
  /** Name under which pg remembers a parsed statement. */
  readonly name: string | undefined;
  readonly text: string;
  readonly #options: CommandOptions;
  readonly #evictedNames: string[];
  readonly #callbacks: PromiseCallbacks;
  #columns: readonly Column[];
  #stream: RowConnection['stream'] | null = null;
  #tag = '';
  #failure: Error | null = null;

  constructor(options: CommandOptions, evictedNames: string[], callbacks: PromiseCallbacks) {
    this.#options = options;
    this.#evictedNames = evictedNames;
    this.#callbacks = callbacks;
    this.name = options.prepared?.name;
    this.text = options.prepared?.text ?? options.text;
    this.#columns = options.prepared?.columns ?? [];
  }

  submit(connection: RowConnection): void {
    connection.onRow = (row) => this.takeRow(row);
    this.#stream = connection.stream;
    if (this.#options.prepared === null) return connection.query(this.text);
    connection.stream.cork();
    this.send(connection);
    connection.sync();
    connection.stream.uncork();
  }

  /** Sends a prepared statement without the end of its round trip. */
  send(connection: RowConnection): void {
    const { prepared, values } = this.#options;
    if (prepared === null) return;
    const { name, text } = prepared;
    for (const old of this.#evictedNames.splice(0)) connection.close({ type: 'S', name: old });
    if (connection.parsedStatements[name] === undefined) {
      connection.parse({ name, text });
      connection.describe({ type: 'S', name });
    }
    connection.bind({ statement: name, values: values.map(bindToText) });
    connection.execute();
  }

  handleRowDescription({ fields }: DriverMessage): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, oid: dataTypeID }));
    if (this.#options.prepared !== null) this.#options.prepared.columns = this.#columns;
  }

  takeRow(row: DataRow): void {
    if (this.#failure !== null) return;
    try {
      this.#options.row(row, this.#columns);
      const taken = this.#options.cut?.() ?? null;
      if (taken !== null && this.#stream !== null)
        pauseUntil(taken, this.#stream, (error) => void (this.#failure = error));
    } catch (error) {
      this.#failure = error as Error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#tag = text;
  }

  handleReadyForQuery(): void {
    if (this.#failure === null) this.#callbacks.resolve(this.#tag);
    else this.#callbacks.reject(this.#failure);
  }

  handleError(error: Error): void {
    this.#callbacks.reject(Object.assign(redactValue(error), { sql: this.#options.text }));
  }

  handleEmptyQuery(): void {}

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: RowConnection): void {
    connection.sendCopyFail('COPY is not supported');
  }

  handleCopyData(): void {}
}

/** Commands that are sent together; the server ends them in their order. */
class Commands {
  /** Those without their whole response. */
  readonly #commands: Command[];

  constructor(commands: readonly Command[]) {
    this.#commands = [...commands];
  }

  submit(connection: RowConnection): void {
    connection.onRow = (row) => this.#commands[0]?.takeRow(row);
    connection.stream.cork();
    for (const command of this.#commands) command.send(connection);
    connection.sync();
    connection.stream.uncork();
  }

  handleCommandComplete(tag: { readonly text: string }): void {
    const command = this.#commands.shift();
    command?.handleCommandComplete(tag);
    command?.handleReadyForQuery();
  }

  handleReadyForQuery(): void {}

  handleError(error: Error): void {
    for (const command of this.#commands) command.handleError(error);
  }
}
