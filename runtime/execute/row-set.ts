/** The rows of one statement as JSON, and the places where nested lists still have to be put in. */
import { ByteWriter, limitBytes } from './bytes.js';

export interface RowSet {
  readonly rows: JsonRows;
  readonly count: number;
  /** By position. */
  readonly holes: readonly Hole[];
  /** Of a nested list: where the rows of each parent stand. */
  readonly groups: ReadonlyMap<string, Range>;
}

/** Rows separated by commas, with room around them: an envelope is put on without copying. */
export class JsonRows {
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #end: number;

  constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
  }

  /** Rows that have no room around them. */
  static of(bytes: Buffer): JsonRows {
    return new JsonRows(bytes, 0, bytes.length);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** The rows between two texts; only once, since it may use the room. */
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

/** Bytes kept free before and after the rows: enough for `{"data":{"a name of GraphQL":[`. */
const margin = 64;

export interface Hole {
  /** Counted from the first row. */
  readonly at: number;
  /** Index of the list among those of the select. */
  readonly list: number;
  /** `null`: nothing belongs to it, and the list is empty. */
  readonly key: string | null;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

const comma = 0x2c;

/** What a driver writes rows into. One per statement. */
export class RowCollector {
  readonly writer: ByteWriter;
  readonly #limit: number;
  readonly #holes: Hole[] = [];
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

  /** Before a row of a list without parent. */
  beginRow(): void {
    this.writer.reserve(1);
    if (this.#count > 0) this.writer.byte(comma);
    this.#count += 1;
  }

  /** Before a row of a nested list, rows of one parent following each other. `false`: the row is one too many. */
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

  hole(list: number, key: string | null): void {
    this.#holes.push({ at: this.writer.length - margin, list, key });
  }

  /** Rows seen, kept or not. */
  get count(): number {
    return this.#count;
  }

  finish(): RowSet {
    this.#closeGroup();
    const { writer } = this;
    writer.reserve(margin);
    const rows = new JsonRows(writer.bytes, margin, writer.length);
    return { rows, count: this.#count, holes: this.#holes, groups: this.#groups };
  }

  #closeGroup(): void {
    if (this.#key !== null)
      this.#groups.set(this.#key, { start: this.#groupStart, end: this.writer.length - margin });
  }
}

/** Rows whose holes are filled. */
export type FilledRows = Pick<RowSet, 'rows' | 'groups'>;

const empty = Buffer.from('[]');
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Puts the nested lists in; group ranges move along. */
export const fillHoles = (set: RowSet, lists: readonly FilledRows[]): FilledRows => {
  if (set.holes.length === 0) return set;
  const source = set.rows.bytes;
  const filled = lists.map(({ rows, groups }) => ({ bytes: rows.bytes, groups }));
  // rows of one parent may be wanted in many places, and again in every place of those
  const size = limitBytes(
    set.holes.reduce((sum, { list, key }) => sum + fillingSize(filled[list], key), source.length),
  );
  const target = Buffer.allocUnsafe(size + margin * 2);
  const shifts: Shift[] = [];
  let from = 0;
  let to = margin;
  for (const { at, list, key } of set.holes) {
    to += source.copy(target, to, from, at);
    from = at;
    to = fill(target, to, { list: filled[list], key });
    shifts.push({ at, by: to - margin - at });
  }
  to += source.copy(target, to, from);
  return { rows: new JsonRows(target, margin, to), groups: moveGroups(set.groups, shifts) };
};

type Filler = { readonly bytes: Buffer; readonly groups: RowSet['groups'] } | undefined;

interface Filling {
  readonly list: Filler;
  readonly key: string | null;
}

/** Bytes that `fill` writes. */
const fillingSize = (list: Filler, key: string | null): number => {
  const range = key === null ? undefined : list?.groups.get(key);
  return range === undefined ? empty.length : range.end - range.start + 2;
};

/** @returns where the filling ends */
const fill = (target: Buffer, at: number, { list, key }: Filling): number => {
  const range = key === null ? undefined : list?.groups.get(key);
  if (list === undefined || range === undefined) return at + empty.copy(target, at);
  target[at] = openBracket;
  const end = at + 1 + list.bytes.copy(target, at + 1, range.start, range.end);
  target[end] = closeBracket;
  return end + 1;
};

interface Shift {
  readonly at: number;
  readonly by: number;
}

/** Groups come in order of position, as shifts do; a row begins and ends with a brace, so no hole is on a border. */
const moveGroups = (
  groups: ReadonlyMap<string, Range>,
  shifts: readonly Shift[],
): ReadonlyMap<string, Range> => {
  const moved = new Map<string, Range>();
  let next = 0;
  let by = 0;
  const move = (position: number): number => {
    for (let shift = shifts[next]; shift !== undefined && shift.at < position; shift = shifts[next]) {
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
