/** The rows of one statement as JSON, and the places where nested lists still have to be put in. */
import { joinKey } from '../sql/read.js';
import { ByteWriter } from './bytes.js';

export interface RowSet {
  /** Rows separated by commas. */
  readonly bytes: Buffer;
  readonly count: number;
  /** By position. */
  readonly holes: readonly Hole[];
  /** Of a nested list: where the rows of each parent stand. */
  readonly groups: ReadonlyMap<string, Range>;
}

export interface Hole {
  readonly at: number;
  /** Index of the list among those of the select. */
  readonly list: number;
  /** `null`: the list does not show; `null` is written. */
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
    this.writer = new ByteWriter(size);
    this.#limit = limit;
  }

  /** Before a row of a list without parent. */
  beginRow(): void {
    this.writer.reserve(1);
    if (this.#count > 0) this.writer.byte(comma);
    this.#count += 1;
  }

  /** Before a row of a nested list, rows of one parent following each other. `false`: the row is one too many. */
  beginChild(parts: readonly string[]): boolean {
    const key = joinKey(parts);
    this.#count += 1;
    this.writer.reserve(1);
    if (key !== this.#key) {
      this.#closeGroup();
      this.#key = key;
      this.#groupStart = this.writer.length;
      this.#inGroup = 1;
      return this.#limit > 0;
    }
    if (this.#inGroup >= this.#limit) return false;
    this.#inGroup += 1;
    this.writer.byte(comma);
    return true;
  }

  hole(list: number, parts: readonly string[] | null): void {
    this.#holes.push({ at: this.writer.length, list, key: parts === null ? null : joinKey(parts) });
  }

  /** Rows seen, kept or not. */
  get count(): number {
    return this.#count;
  }

  finish(): RowSet {
    this.#closeGroup();
    return { bytes: this.writer.finish(), count: this.#count, holes: this.#holes, groups: this.#groups };
  }

  #closeGroup(): void {
    if (this.#key !== null) this.#groups.set(this.#key, { start: this.#groupStart, end: this.writer.length });
  }
}

/** Lists by index, their own holes already filled. */
export type FilledLists = readonly Pick<RowSet, 'bytes' | 'groups'>[];

const nullBytes = Buffer.from('null');
const open = Buffer.from('[');
const close = Buffer.from(']');

/** Puts the nested lists in; group ranges move along. */
export const fillHoles = (set: RowSet, lists: FilledLists): Pick<RowSet, 'bytes' | 'groups'> => {
  if (set.holes.length === 0) return set;
  const chunks: Buffer[] = [];
  const shifts: { readonly at: number; readonly by: number }[] = [];
  let from = 0;
  let by = 0;
  for (const { at, list, key } of set.holes) {
    const filling = fill(lists[list], key);
    chunks.push(set.bytes.subarray(from, at), ...filling);
    by += filling.reduce((sum, chunk) => sum + chunk.length, 0);
    shifts.push({ at, by });
    from = at;
  }
  chunks.push(set.bytes.subarray(from));
  return { bytes: Buffer.concat(chunks), groups: moveGroups(set.groups, shifts) };
};

const fill = (list: FilledLists[number] | undefined, key: string | null): readonly Buffer[] => {
  if (list === undefined || key === null) return [nullBytes];
  const range = list.groups.get(key);
  return range === undefined ? [open, close] : [open, list.bytes.subarray(range.start, range.end), close];
};

/** Groups come in order of position, as shifts do; a row begins and ends with a brace, so no hole is on a border. */
const moveGroups = (
  groups: ReadonlyMap<string, Range>,
  shifts: readonly { readonly at: number; readonly by: number }[],
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
