/** A row of an imported file. */
import type { Readable } from 'node:stream';
import type { Payload } from './payload.js';

/** Opens the file at a byte. */
export type OpenSource = (start: number) => Promise<Readable>;

/** The place where a row ends, so that a later run can continue after it. */
export interface SourcePosition {
  /** Byte after the row. */
  readonly position: number;
  /** Number of lines before the next row. */
  readonly line: number;
}

export interface SourceRow {
  /** First line of the row, from 1. */
  readonly line: number;
  readonly end: SourcePosition;
  /** The item to create; or why there is none. */
  readonly item: Payload | RowFault;
}

/** A problem of a row, before it is an item. */
export interface RowFault {
  /** Name of the column; `null` for the whole row. */
  readonly column: string | null;
  readonly message: string;
}

/** Returns whether a row could not be read. */
export const isFault = (item: SourceRow['item']): item is RowFault => item instanceof Fault;

class Fault implements RowFault {
  readonly column: string | null;
  readonly message: string;

  constructor(message: string, column: string | null) {
    this.message = message;
    this.column = column;
  }
}

/** Creates a fault; `column` is null where it concerns the whole row. */
export const fault = (message: string, column: string | null = null): RowFault => new Fault(message, column);

/** A file from which no further rows can be read. */
export class SourceError extends Error {
  /** Line where reading stopped, from 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** Maximum bytes of one row. */
export const maxRowBytes = 16 * 1024 ** 2;
