/** The rows of one statement as JSON, and the offsets at which nested lists are inserted. */
import type { RowLayout } from '../databases/contract.js';
import { ByteWriter, limitBytes } from './bytes.js';
import type { ReadBudget } from './read-budget.js';

export interface RowSet {
  readonly rows: JsonRows;
  /** Number of rows received, including those beyond the limit of their parent. */
  readonly count: number;
  /** The cursor of the last row, where there are further rows. */
  readonly next: string | null;
  /** Whether all rows received are in `rows`. */
  readonly isWhole: boolean;
  /** Slots of nested lists, by offset. */
  readonly slots: readonly ListSlot[];
  /** The range of each parent's rows, for a nested list. */
  readonly groups: ReadonlyMap<string, Group>;
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

  /** Number of bytes of memory. */
  get size(): number {
    return this.#buffer.length;
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
  /** Where the last row ends, if its cursor follows. */
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

/** Rows with their nested lists inserted. */
export interface FilledRows extends Pick<RowSet, 'rows' | 'groups'> {
  /** Number of rows in all lists below these rows. */
  readonly nested: number;
  /** Whether each key has one row at most, which is no list: an item of a many-to-any relation. */
  readonly isItem?: boolean;
}

const empty = Buffer.from('[]');
const absent = Buffer.from('null');
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Inserts the nested lists and moves the groups accordingly. @throws QUERY_TOO_COMPLEX for more rows than `budget`
 * allows
 */
export const insertLists = (set: RowSet, lists: readonly FilledRows[], budget: ReadBudget): FilledRows => {
  if (set.slots.length === 0) return { ...set, nested: 0 };
  const source = set.rows.bytes;
  const nested = lists.map(({ rows, groups, isItem = false }) => ({ bytes: rows.bytes, groups, isItem }));
  // the rows of one parent may be inserted several times, and so may the lists within them
  let size = source.length;
  let rows = 0;
  for (const { list, key } of set.slots) {
    const group = groupOf(nested[list], key);
    size += group === undefined ? absentOf(nested[list]).length : listSize(group, nested[list]);
    rows += rowsOf(group, nested[list]);
  }
  budget.checkRows(rows);
  budget.bytes.take(limitBytes(size) + margin * 2);
  const target = Buffer.allocUnsafe(size + margin * 2);
  const shifts: Shift[] = [];
  let from = 0;
  let to = margin;
  rows = 0;
  for (const { offset, list, key } of set.slots) {
    to += source.copy(target, to, from, offset);
    from = offset;
    const group = groupOf(nested[list], key);
    to = writeList(target, to, { list: nested[list], group });
    rows += rowsOf(group, nested[list]);
    shifts.push({ offset, by: to - margin - offset, rows });
  }
  to += source.copy(target, to, from);
  budget.bytes.giveBack(lists.reduce((sum, list) => sum + list.rows.size, set.rows.size));
  const filled = new JsonRows(target, margin, to);
  return { rows: filled, groups: moveGroups(set.groups, shifts), nested: rows };
};

interface NestedList {
  readonly bytes: Buffer;
  readonly groups: RowSet['groups'];
  readonly isItem: boolean;
}

const groupOf = (list: NestedList | undefined, key: string | null): Group | undefined =>
  key === null ? undefined : list?.groups.get(key);

/** Returns what is written without rows. */
const absentOf = (list: NestedList | undefined): Buffer => (list?.isItem === true ? absent : empty);

/** Returns the number of rows that a list adds; an item counts with the row that leads to it. */
const rowsOf = (group: Group | undefined, list: NestedList | undefined): number =>
  group === undefined ? 0 : group.rows - (list?.isItem === true ? 1 : 0);

/** Returns the number of bytes that `writeList` writes. */
const listSize = ({ start, end }: Group, list: NestedList | undefined): number =>
  end - start + (list?.isItem === true ? 0 : 2);

interface ListContent {
  readonly list: NestedList | undefined;
  readonly group: Group | undefined;
}

/** Writes one list, or one item, and returns the offset after it. */
const writeList = (target: Buffer, at: number, { list, group }: ListContent): number => {
  if (list === undefined || group === undefined) return at + absentOf(list).copy(target, at);
  const { bytes, isItem } = list;
  if (isItem) return at + bytes.copy(target, at, group.start, group.end);
  target[at] = openBracket;
  const end = at + 1 + bytes.copy(target, at + 1, group.start, group.end);
  target[end] = closeBracket;
  return end + 1;
};

/** A place where a list was inserted, with what all lists up to it have added. */
interface Shift {
  readonly offset: number;
  readonly by: number;
  readonly rows: number;
}

const unshifted: Shift = { offset: 0, by: 0, rows: 0 };

/**
 * Moves groups. Groups and shifts are both ordered by offset; a row begins and ends with a brace, so no slot lies on
 * the boundary of a group.
 */
const moveGroups = (
  groups: ReadonlyMap<string, Group>,
  shifts: readonly Shift[],
): ReadonlyMap<string, Group> => {
  const moved = new Map<string, Group>();
  let next = 0;
  let last = unshifted;
  const shiftAt = (position: number): Shift => {
    for (let shift = shifts[next]; shift !== undefined && shift.offset < position; shift = shifts[next]) {
      last = shift;
      next += 1;
    }
    return last;
  };
  for (const [key, { start, end, rows }] of groups) {
    const [before, within] = [shiftAt(start), shiftAt(end)];
    moved.set(key, {
      start: start + before.by,
      end: end + within.by,
      rows: rows + within.rows - before.rows,
    });
  }
  return moved;
};
