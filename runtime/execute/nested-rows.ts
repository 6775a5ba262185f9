/** Inserts nested lists into the rows of their parents, as bytes. */
import { limitBytes } from './bytes.js';
import type { ReadBudget } from './read-budget.js';
import { JsonRows, margin, type Group, type RowSet } from './row-set.js';

/** Rows with their nested lists inserted. */
export interface FilledRows extends Pick<RowSet, 'rows' | 'groups'> {
  /** Number of rows in all lists below these rows. */
  readonly nested: number;
  /** True where each key has one row at most, which is no list: an item of a many-to-any relation. */
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
