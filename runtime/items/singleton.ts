/** Finds the row of a singleton, and builds the response when there is none. */
import type { Collection } from '../../contract/collection.js';
import { isMasked } from '../../contract/fields.js';
import type { Executor, SqlDialect } from '../databases/contract.js';
import { JsonRows } from '../execute/row-set.js';
import type { Entry, ReadPlan } from '../plan/types.js';
import type { ItemContext } from './context.js';

interface KeyContext {
  readonly dialect: SqlDialect;
  readonly executor: Pick<Executor, 'query'>;
  /** Suffix of the select, which locks the row; none unless given. */
  readonly rowLock?: string;
}

/** Returns the key of the stored item, or null. Permissions are checked elsewhere. */
export const singletonKey = async (
  collection: Collection,
  { dialect, executor, rowLock = '' }: KeyContext,
): Promise<readonly unknown[] | null> => {
  const names = collection.key.map((field) => dialect.quote(field.name)).join(', ');
  const [row] = await executor.query(
    `select ${names} from ${dialect.quote(collection.name)} order by ${names} limit 1${rowLock}`,
  );
  return row === undefined ? null : collection.key.map((field) => row[field.name]);
};

/**
 * Returns the defaults of a singleton without a row, with a null key. Values that the caller may not see are null; if a
 * row exists that the caller may not read, all are.
 */
export const absentItem = async (
  plan: ReadPlan,
  { database, dialect, executor = database }: ItemContext & { readonly executor?: Executor },
): Promise<JsonRows> => {
  if (plan.select.kind === 'key') return JsonRows.of(Buffer.from('null'));
  const isHidden =
    plan.grant.rows.kind !== 'always' &&
    (await singletonKey(plan.collection, { dialect, executor })) !== null;
  return JsonRows.of(Buffer.from(absentObject(plan.select.entries, isHidden, plan)));
};

/** Returns the JSON of an object; printed by hand, because integer keys would come first in an object. */
const absentObject = (entries: readonly Entry[], isHidden: boolean, plan: ReadPlan): string =>
  `{${entries.map((entry) => `${JSON.stringify(entry.name)}:${absentJson(entry, isHidden, plan)}`).join(',')}}`;

const absentJson = (entry: Entry, isHidden: boolean, plan: ReadPlan): string => {
  if (entry.kind === 'constant') return entry.json;
  if (entry.kind !== 'group') return JSON.stringify(absentValue(entry, isHidden, plan));
  return entry.select.kind === 'object' ? absentObject(entry.select.entries, isHidden, plan) : 'null';
};

type ValueEntry = Exclude<Entry, { kind: 'constant' | 'group' }>;

const absentValue = (entry: ValueEntry, isHidden: boolean, { collection }: ReadPlan): unknown => {
  if (entry.kind === 'many' || entry.kind === 'groups') return [];
  if (
    entry.kind === 'one' ||
    entry.kind === 'any' ||
    isHidden ||
    entry.rule !== null ||
    isMasked(entry.field)
  )
    return null;
  return collection.key.some(({ name }) => name === entry.field.name) ? null : (entry.field.default ?? null);
};
