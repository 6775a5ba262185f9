/** The rows of one statement as JSON, and the offsets at which nested lists are inserted. */
import { ByteWriter, limitBytes } from './bytes.js';

export interface RowSet {
  readonly rows: JsonRows;
  readonly count: number;
  /** Slots of nested lists, by offset. */
  readonly slots: readonly ListSlot[];
  /** For a nested list, the range of each parent's rows. */
  readonly groups: ReadonlyMap<string, Range>;
}

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
const margin = 64;

export interface ListSlot {
  /** Offset in bytes from the first row. */
  readonly offset: number;
  /** Index of the list among those of the select. */
  readonly list: number;
  /** Key of the parent; `null` where the list is empty. */
  readonly key: string | null;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

const comma = 0x2c;

/** Collects the rows that a driver writes. One per statement. */
export class RowCollector {
  readonly writer: ByteWriter;
  readonly #limit: number;
  readonly #slots: ListSlot[] = [];
  readonly #groups = new Map<string, Range>();
  #count = 0;
  #key: string | null = null;
  #inGroup = 0;
  #groupStart = 0;

  /** `limit`: rows kept per parent. */
  constructor(size: number, limit: number) {
    this.writer = new ByteWriter(size + margin * 2);
    this.writer.length = margin;
    this.#limit = limit;
  }

  /** Starts a row without a parent. */
  beginRow(): void {
    this.writer.reserve(1);
    if (this.#count > 0) this.writer.byte(comma);
    this.#count += 1;
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
    if (this.#inGroup >= this.#limit) return false;
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
    writer.reserve(margin);
    const rows = new JsonRows(writer.bytes, margin, writer.length);
    return { rows, count: this.#count, slots: this.#slots, groups: this.#groups };
  }

  #closeGroup(): void {
    if (this.#key !== null)
      this.#groups.set(this.#key, { start: this.#groupStart, end: this.writer.length - margin });
  }
}

/** Rows with their nested lists inserted. */
export type FilledRows = Pick<RowSet, 'rows' | 'groups'>;

const empty = Buffer.from('[]');
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Inserts the nested lists and moves the group ranges accordingly. */
export const insertLists = (set: RowSet, lists: readonly FilledRows[]): FilledRows => {
  if (set.slots.length === 0) return set;
  const source = set.rows.bytes;
  const nested = lists.map(({ rows, groups }) => ({ bytes: rows.bytes, groups }));
  // the rows of one parent may be inserted several times, and so may the lists within them
  const size = limitBytes(
    set.slots.reduce((sum, { list, key }) => sum + listSize(nested[list], key), source.length),
  );
  const target = Buffer.allocUnsafe(size + margin * 2);
  const shifts: Shift[] = [];
  let from = 0;
  let to = margin;
  for (const { offset, list, key } of set.slots) {
    to += source.copy(target, to, from, offset);
    from = offset;
    to = writeList(target, to, { list: nested[list], key });
    shifts.push({ offset, by: to - margin - offset });
  }
  to += source.copy(target, to, from);
  return { rows: new JsonRows(target, margin, to), groups: moveGroups(set.groups, shifts) };
};

type NestedList = { readonly bytes: Buffer; readonly groups: RowSet['groups'] } | undefined;

interface ListSlotContent {
  readonly list: NestedList;
  readonly key: string | null;
}

/** Returns the number of bytes that `writeList` writes. */
const listSize = (list: NestedList, key: string | null): number => {
  const range = key === null ? undefined : list?.groups.get(key);
  return range === undefined ? empty.length : range.end - range.start + 2;
};

/** Writes one list and returns the offset after it. */
const writeList = (target: Buffer, at: number, { list, key }: ListSlotContent): number => {
  const range = key === null ? undefined : list?.groups.get(key);
  if (list === undefined || range === undefined) return at + empty.copy(target, at);
  target[at] = openBracket;
  const end = at + 1 + list.bytes.copy(target, at + 1, range.start, range.end);
  target[end] = closeBracket;
  return end + 1;
};

interface Shift {
  readonly offset: number;
  readonly by: number;
}

/**
 * Moves group ranges. Groups and shifts are both ordered by offset; a row begins and ends with a brace, so no
 * slot lies on the boundary of a group.
 */
const moveGroups = (
  groups: ReadonlyMap<string, Range>,
  shifts: readonly Shift[],
): ReadonlyMap<string, Range> => {
  const moved = new Map<string, Range>();
  let next = 0;
  let by = 0;
  const move = (position: number): number => {
    for (let shift = shifts[next]; shift !== undefined && shift.offset < position; shift = shifts[next]) {
      by = shift.by;
      next += 1;
    }
    return position + by;
  };
  for (const [key, { start, end }] of groups) {
    moved.set(key, { start: move(start), end: move(end) });
  }
  return moved;
};
