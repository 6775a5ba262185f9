/** The rows of one statement as JSON, and the offsets at which nested lists are inserted (`nested-rows.ts`). */
import type { RowLayout } from '../databases/contract.js';
import { ByteWriter } from './bytes.js';

export interface RowSet {
  readonly rows: JsonRows;
  /** Number of rows received, including those beyond the limit of their parent. */
  readonly count: number;
  /** The cursor of the last row, where there are further rows. */
  readonly next: string | null;
  /** True where all rows received are in `rows`. */
  readonly isWhole: boolean;
  /** Slots of nested lists, by offset. */
  readonly slots: readonly ListSlot[];
  /** The range of each parent's rows, for a nested list. */
  readonly groups: ReadonlyMap<string, Group>;
}

const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d];

/** Rows separated by commas, with free space around them, so that an envelope is added without copying. */
export class JsonRows {
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** Creates rows without free space around them. */
  static of(bytes: Buffer): JsonRows {
    return new JsonRows(bytes, 0, bytes.length);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** Number of bytes of memory. */
  get size(): number {
    return this.#buffer.length;
  }

  /** Returns the first row alone. */
  get first(): JsonRows {
    const rows = this.bytes;
    let depth = 0;
    let isText = false;
    for (let at = 0; at < rows.length; at += 1) {
      const byte = rows[at];
      if (isText && byte === backslash) at += 1;
      else if (byte === quote) isText = !isText;
      else if (isText) continue;
      else if (byte === openBrace) depth += 1;
      else if (byte === closeBrace) {
        depth -= 1;
        if (depth === 0) return JsonRows.of(rows.subarray(0, at + 1));
      }
    }
    return this;
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Returns the rows between two texts. Call it once, since it may use the free space. */
  enclose(before: Buffer, after: Buffer): Buffer {
    const start = this.#start - before.length;
    const end = this.#end + after.length;
    if (start < 0 || end > this.#buffer.length) return Buffer.concat([before, this.bytes, after]);
    before.copy(this.#buffer, start);
    after.copy(this.#buffer, this.#end);
    return this.#buffer.subarray(start, end);
  }
}

export const noRows = JsonRows.of(Buffer.alloc(0));

/** Free bytes before and after the rows: enough for `{"data":{"a name of GraphQL":[`. */
export const margin = 64;

export interface ListSlot {
  /** Offset in bytes from the first row. */
  readonly offset: number;
  /** Index of the list among those of the select. */
  readonly list: number;
  /** Key of the parent; `null` where the list is empty. */
  readonly key: string | null;
}

/** The rows of one parent. */
export interface Group {
  readonly start: number;
  readonly end: number;
  /** Number of rows, including those of the lists inserted into them. */
  readonly rows: number;
}

const comma = 0x2c;

/** Collects the rows that a driver writes. One per statement. */
export class RowCollector {
  readonly writer: ByteWriter;
  readonly #limit: number;
  readonly #slots: ListSlot[] = [];
  readonly #groups = new Map<string, Group>();
  #count = 0;
  #isWhole = true;
  #key: string | null = null;
  #inGroup = 0;
  #groupStart = 0;
  /** End of the last row, if its cursor follows. */
  #rowEnd: number | null = null;

  constructor(size: number, { limit, bytes }: Pick<RowLayout, 'limit' | 'bytes'>) {
    this.writer = new ByteWriter(size + margin * 2, bytes);
    this.writer.length = margin;
    this.#limit = limit;
  }

  /** Starts a row without a parent. Returns false for a row beyond the limit. */
  beginRow(): boolean {
    this.#count += 1;
    if (this.#count > this.#limit) {
      this.#isWhole = false;
      return false;
    }
    this.#dropCursor();
    this.writer.reserve(1);
    if (this.#count > 1) this.writer.byte(comma);
    return true;
  }

  /** Ends a row whose cursor follows. */
  endRow(): void {
    this.#rowEnd = this.writer.length;
  }

  #dropCursor(): void {
    if (this.#rowEnd !== null) this.writer.length = this.#rowEnd;
    this.#rowEnd = null;
  }

  /**
   * Starts a row of a nested list, whose rows arrive grouped by parent. Returns false for a row beyond the
   * limit.
   */
  beginChild(key: string): boolean {
    this.#count += 1;
    this.writer.reserve(1);
    if (key !== this.#key) {
      this.#closeGroup();
      this.#key = key;
      this.#groupStart = this.writer.length - margin;
      this.#inGroup = 1;
      return this.#limit > 0;
    }
    if (this.#inGroup >= this.#limit) {
      this.#isWhole = false;
      return false;
    }
    this.#inGroup += 1;
    this.writer.byte(comma);
    return true;
  }

  addSlot(list: number, key: string | null): void {
    this.#slots.push({ offset: this.writer.length - margin, list, key });
  }

  /** Number of rows received, including those beyond the limit. */
  get count(): number {
    return this.#count;
  }

  finish(): RowSet {
    this.#closeGroup();
    const { writer } = this;
    const isCut = this.#rowEnd !== null && this.#count > this.#limit;
    const next = isCut ? writer.bytes.toString('utf8', this.#rowEnd ?? 0, writer.length) : null;
    this.#dropCursor();
    writer.reserve(margin);
    const rows = new JsonRows(writer.bytes, margin, writer.length);
    const count = isCut ? this.#limit : this.#count;
    return { rows, count, next, isWhole: this.#isWhole, slots: this.#slots, groups: this.#groups };
  }

  #closeGroup(): void {
    if (this.#key === null) return;
    const [start, end] = [this.#groupStart, this.writer.length - margin];
    this.#groups.set(this.#key, { start, end, rows: this.#inGroup });
  }
}
