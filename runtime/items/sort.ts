/** Moves an item in the order that a collection stores in its sort field. */
import type { Collection } from '../../contract/collection.js';
import { apiError, invalidPayload } from '../../contract/errors.js';
import { splitKey } from '../request/route.js';
import { readQuery } from '../request/query.js';
import type { Executor } from '../databases/contract.js';
import type { WriteHooks } from '../execute/write-transaction.js';
import { lockRows } from '../execute/row-locks.js';
import { readKey, missingItem } from '../plan/item.js';
import { bindInput, type ItemContext } from './context.js';
import { readItem, readList, type WrittenContext } from './read.js';
import { updateItems, type WriteItemContext } from './write.js';

/** The keys of two items as text. */
export interface Move {
  readonly item: string;
  /** The item whose place it takes. */
  readonly to: string;
}

type Row = Readonly<Record<string, unknown>>;

interface Ordered {
  readonly collection: Collection;
  readonly field: string;
}

/**
 * Gives an item the place of another; those between move by one. If positions are missing or not unique among the
 * items that the caller may read, all of them get new positions first.
 * @throws INVALID_PAYLOAD without a sort field; FORBIDDEN for items that the caller may not read or update
 */
export const sortItems = async (collection: Collection, move: Move, context: ItemContext): Promise<void> => {
  const { sortField: field } = collection;
  if (field === null)
    throw invalidPayload(`"${collection.name}" has no order: its meta names no "sort_field"`);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1)
    if (await tryMove({ collection, field }, move, context)) return;
  throw apiError('SERVICE_UNAVAILABLE', { service: 'order' }, 'others move items too; try again');
};

/** Maximum attempts of a move. Each time at least one of several concurrent moves succeeds, so this many can be concurrent. */
const maxAttempts = 20;

/** Returns false where others have moved items meanwhile. */
const tryMove = async (ordered: Ordered, move: Move, context: ItemContext): Promise<boolean> => {
  try {
    const affected = await readAffected(ordered, move, context);
    const changes = planMove(affected, ordered);
    if (changes.length === 0) return true;
    const precondition = requireUnchanged(affected.rows, { ordered, move, context });
    const writing: WriteItemContext = { ...context, omitsOutput: true, precondition };
    await updateItems({ collection: ordered.collection, parsed: readQuery({}) }, changes, writing);
    return true;
  } catch (error) {
    if (error instanceof Moved) return false;
    throw error;
  }
};

/** Thrown where others have moved items meanwhile; rolls a transaction back. */
class Moved extends Error {}

type ReadContext = ItemContext & Partial<WrittenContext>;

interface Affected {
  readonly rows: readonly Row[];
  /** Index of the item that moves. */
  readonly from: number;
  /** Index of the item whose place it takes. */
  readonly to: number;
}

/**
 * Reads the items between the two, or all where their positions are not complete.
 * @throws Moved where one of the two has left the others between two reads; FORBIDDEN where one does not exist
 */
const readAffected = async (ordered: Ordered, move: Move, context: ReadContext): Promise<Affected> => {
  const isComplete = await isNumbered(ordered, context);
  const filter = isComplete ? await filterBetween(ordered, move, context) : {};
  const rows = await readRows(ordered, { filter }, context);
  const [from, to] = [findRow(rows, move.item, ordered), findRow(rows, move.to, ordered)];
  if (from === -1 || to === -1) throw isComplete ? new Moved() : missingItem(ordered.collection);
  return { rows, from, to };
};

const filterBetween = async ({ collection, field }: Ordered, move: Move, context: ReadContext) => {
  const target = { collection, parsed: readQuery({ fields: [field] }) };
  const read = async (text: string): Promise<unknown> => {
    const { bytes } = await readItem(target, keyOf(collection, text), context);
    return (JSON.parse(bytes.toString()) as Row)[field];
  };
  const ends = [await read(move.item), await read(move.to)].sort((a, b) => Number(a) - Number(b));
  return { [field]: { _between: ends } };
};

const keyOf = ({ key }: Collection, text: string): readonly string[] => splitKey(text, key.length);

/** Returns whether every item has a position of its own. */
const isNumbered = async ({ collection, field }: Ordered, context: ReadContext): Promise<boolean> => {
  const parsed = readQuery({ aggregate: { count: '*', countDistinct: field } });
  const { rows } = await readList({ collection, parsed }, context);
  const [counts] = JSON.parse(`[${rows.bytes.toString()}]`) as {
    readonly count: number;
    readonly countDistinct: Readonly<Record<string, number>>;
  }[];
  return counts === undefined || Number(counts.count) === Number(counts.countDistinct[field]);
};

const readRows = async (
  { collection, field }: Ordered,
  query: Readonly<Record<string, unknown>>,
  context: ReadContext,
): Promise<readonly Row[]> => {
  const keys = collection.key.map(({ name }) => name);
  const parsed = readQuery({ ...query, fields: [...keys, field], sort: keys, limit: -1 });
  const limits = { ...context.limits, maximum: null };
  const { rows } = await readList({ collection, parsed }, { ...context, limits, publicLimits: limits });
  return JSON.parse(`[${rows.bytes.toString()}]`) as Row[];
};

/** Returns the items that get another position, in the form of an update. */
const planMove = ({ rows, from, to }: Affected, { field }: Ordered): readonly Row[] => {
  const places = numberRows(rows, field);
  const [start, end] = [places[from], places[to]] as [number, number];
  const step = Math.sign(start - end);
  return rows.flatMap((row, index) => {
    const place = places[index] as number;
    const isBetween = step > 0 ? place >= end && place < start : place > start && place <= end;
    const moved = index === from ? end : isBetween ? place + step : place;
    if (row[field] !== null && Number(row[field]) === moved) return [];
    return [{ ...row, [field]: typeof row[field] === 'string' ? String(moved) : moved }];
  });
};

/** Returns the index of the row with a key, or -1. */
const findRow = (rows: readonly Row[], text: string, { collection }: Ordered): number => {
  const key = JSON.stringify(readKey(collection, keyOf(collection, text)));
  return rows.findIndex((row) => key === JSON.stringify(keyIn(collection, row)));
};

const keyIn = (collection: Collection, row: Row) =>
  readKey(
    collection,
    collection.key.map(({ name }) => row[name]),
  );

/** Returns the position of each row: the stored one, or a new one where some are missing or there twice. */
const numberRows = (rows: readonly Row[], field: string): readonly number[] => {
  const stored = rows.map((row) => (row[field] === null ? Number.POSITIVE_INFINITY : Number(row[field])));
  if (new Set(stored).size === rows.length && stored.every(Number.isFinite)) return stored;
  const order = stored.map((_, index) => index).sort((a, b) => compare(stored[a], stored[b]) || a - b);
  const places: number[] = [];
  for (const [place, index] of order.entries()) places[index] = place + 1;
  return places;
};

/** Infinities are equal. */
const compare = (a = 0, b = 0): number => (a === b ? 0 : a - b);

/** Returns hooks that lock the items, and compare them with what was read. @throws Moved */
const requireUnchanged = (
  known: readonly Row[],
  {
    ordered,
    move,
    context,
  }: { readonly ordered: Ordered; readonly move: Move; readonly context: ItemContext },
): WriteHooks => ({
  async before(_keys, executor: Executor) {
    const { collection } = ordered;
    const keys = known.map((row) => keyIn(collection, row));
    await lockRows(collection, keys, {
      dialect: context.dialect,
      executor,
      input: bindInput(context, {}),
    });
    const found = await readAffected(ordered, move, { ...context, executor });
    if (JSON.stringify(found.rows) !== JSON.stringify(known)) throw new Moved();
  },
  after: async () => undefined,
});
