/** Extends pg's client and connection to pass rows on as raw bytes. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, Connection as PlainConnection, type ClientConfig } from 'pg';
import type { Prepared } from './command.js';
import type { DataRow } from './rows.js';
import { createStatements } from '../statements.js';

/** The driver's connection, with members that are missing in its types. */
interface DriverConnection extends EventEmitter {
  readonly stream: Socket;
  /** Statements that the server has prepared, by name. */
  readonly parsedStatements: Record<string, string>;
  attachListeners(stream: EventEmitter): void;
  parse(statement: { readonly name: string; readonly text: string }): void;
  describe(target: { readonly type: 'S'; readonly name: string }): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | Buffer | null)[] }): void;
  execute(): void;
  close(target: { readonly type: 'S'; readonly name: string }): void;
  query(text: string): void;
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

/** The driver's client, with members that are missing in its types. */
interface DriverClient {
  readonly host: string;
  readonly port: number;
  readonly ssl: ClientConfig['ssl'];
  readonly processID: number;
  readonly secretKey: number;
}

const Connection = PlainConnection as unknown as new (config: ClientConfig) => DriverConnection;

const headerLength = 5;
const dataRow = 0x44;

/**
 * Splits the stream into messages before the driver does, whose parser would convert every value to a string, and
 * forwards all messages except rows to the driver.
 */
export class RowConnection extends Connection {
  /** Receives the rows of the current command. */
  onRow: ((row: DataRow) => void) | null = null;
  readonly #driverStream = new EventEmitter();
  /** Chunks of an incomplete message. */
  #incomplete: Buffer[] = [];
  /** Bytes received of the incomplete message. */
  #received = 0;
  /** Bytes required before the next attempt to split. */
  #required = headerLength;

  override attachListeners(stream: EventEmitter): void {
    super.attachListeners(this.#driverStream);
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  #receive(chunk: Buffer): void {
    if (this.#received === 0) return this.#split(chunk);
    this.#incomplete.push(chunk);
    this.#received += chunk.length;
    if (this.#received < this.#required) return;
    const whole = Buffer.concat(this.#incomplete);
    this.#incomplete = [];
    this.#received = 0;
    this.#split(whole);
  }

  /** Splits messages; each begins with its type, one byte, and its length without the type, four bytes. */
  #split(source: Buffer): void {
    let at = 0;
    // start of the messages that have not been forwarded yet
    let unsent = 0;
    this.#required = headerLength;
    while (at + headerLength <= source.length) {
      const end = at + 1 + source.readUInt32BE(at + 1);
      if (end > source.length) {
        this.#required = end - at;
        break;
      }
      if (source[at] === dataRow) {
        if (unsent < at) this.#driverStream.emit('data', source.subarray(unsent, at));
        unsent = end;
        this.onRow?.({ source, start: at + headerLength, end });
      }
      at = end;
    }
    if (unsent < at) this.#driverStream.emit('data', source.subarray(unsent, at));
    if (at === source.length) return;
    this.#incomplete.push(source.subarray(at));
    this.#received = source.length - at;
  }
}

/** A client that reports a lost connection only through its commands; an unhandled event would end the process. */
export class RowClient extends Client {
  /** Names of evicted statements, which are closed on the server together with the next statement. */
  readonly evictedNames: string[] = [];
  /** Prepared statements by SQL text. */
  readonly statements = createStatements<Prepared>((_, { name }) => void this.evictedNames.push(name));
  nextStatement = 1;

  readonly #rows: RowConnection;
  readonly #config: ClientConfig;

  constructor(config: ClientConfig) {
    const rows = new RowConnection(config);
    super({ ...config, connection: rows } as ClientConfig);
    this.#rows = rows;
    this.#config = config;
    this.on('error', () => undefined);
  }

  get stream(): Socket {
    return this.#rows.stream;
  }

  /**
   * Asks the server to cancel the statement that runs, on another connection, which it closes (PostgreSQL, "Canceling Requests
   * in Progress"). Other than `cancel` of the driver, it encrypts what it sends where the client does.
   */
  stopStatement(): Promise<void> {
    const { host, port, ssl, processID, secretKey } = this as unknown as DriverClient;
    return new Promise((resolve, reject) => {
      const connection = new Connection(this.#config);
      const cancel = (): void => connection.cancel(processID, secretKey);
      connection.on('connect', ssl === false ? cancel : () => connection.requestSsl());
      connection.on('sslconnect', cancel);
      connection.on('error', reject);
      connection.on('end', resolve);
      if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
      else connection.connect(port, host);
    });
  }

  /** Returns whether the server has prepared the statement of a text. */
  hasPrepared(text: string): boolean {
    const prepared = this.statements.get(text);
    return prepared !== undefined && this.#rows.parsedStatements[prepared.name] !== undefined;
  }
}
