/** One connection of pg, whose rows are handed over as the bytes they are. */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Client, Connection as PlainConnection, type ClientConfig } from 'pg';
import type { Prepared } from './command.js';
import type { DataRow } from './rows.js';

/** Of the driver's connection, what its types leave out. */
interface DriverConnection extends EventEmitter {
  readonly stream: Duplex;
  /** Names of the statements that the server knows. */
  readonly parsedStatements: Record<string, string>;
  attachListeners(stream: EventEmitter): void;
  parse(statement: { readonly name: string; readonly text: string }): void;
  describe(target: { readonly type: 'S'; readonly name: string }): void;
  bind(values: { readonly statement: string; readonly values: readonly (string | Buffer | null)[] }): void;
  execute(): void;
  close(target: { readonly type: 'S'; readonly name: string }): void;
  query(text: string): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

const Connection = PlainConnection as unknown as new (config: ClientConfig) => DriverConnection;

const header = 5;
const dataRow = 0x44;

/**
 * Takes the messages apart before the driver does: its parser would make a text of every value of every row.
 * All other messages go on to it.
 */
export class RowConnection extends Connection {
  /** Of the command at work. */
  onRow: ((row: DataRow) => void) | null = null;
  readonly #others = new EventEmitter();
  /** The beginning of a message whose end is still to come, and the size it will have. */
  #pending: Buffer[] = [];
  #have = 0;
  #want = header;

  override attachListeners(stream: EventEmitter): void {
    super.attachListeners(this.#others);
    stream.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  #take(chunk: Buffer): void {
    if (this.#have === 0) return this.#split(chunk);
    this.#pending.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#want) return;
    const whole = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#have = 0;
    this.#split(whole);
  }

  /** A message is its kind, one byte, and its length with itself, four bytes. */
  #split(source: Buffer): void {
    let at = 0;
    let others = 0;
    this.#want = header;
    while (at + header <= source.length) {
      const end = at + 1 + source.readUInt32BE(at + 1);
      if (end > source.length) {
        this.#want = end - at;
        break;
      }
      if (source[at] === dataRow) {
        if (others < at) this.#others.emit('data', source.subarray(others, at));
        others = end;
        this.onRow?.({ source, start: at + header, end });
      }
      at = end;
    }
    if (others < at) this.#others.emit('data', source.subarray(others, at));
    if (at === source.length) return;
    this.#pending.push(source.subarray(at));
    this.#have = source.length - at;
  }
}

/** A client whose loss is told by the commands that met it; without them it would end the process. */
export class RowClient extends Client {
  /** By text; longest unused first. */
  readonly statements = new Map<string, Prepared>();
  /** Names of statements that the server may forget. */
  readonly dropped: string[] = [];
  nextStatement = 1;

  constructor(config: ClientConfig) {
    super({ ...config, connection: new RowConnection(config) } as ClientConfig);
    this.on('error', () => undefined);
  }
}
