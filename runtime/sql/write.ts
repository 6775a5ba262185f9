/** Compiles updates and deletions of rows by their keys, and the reads of stored rows that writes need. */
import { requireField, type Collection, type Field } from '../../contract/collection.js';
import type { Condition } from '../plan/types.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { Scalar } from '../plan/parsed-value.js';
import { compileCondition } from './condition.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';
import { createStatement, type BindInput, type RenderedStatement, type Sql } from './fragment.js';
import { createTableScope } from './table-scope.js';
import { bindValue, compileTuples, type TupleFilter } from './tuples.js';

/** Compiles an update of the rows that have one of the keys and match the condition. */
export const compileUpdate = (
  collection: Collection,
  row: WriteRow,
  options: RowOptions,
): RenderedStatement => {
  const { dialect } = options;
  const set: string[] = [];
  const values: BindValue[] = [];
  for (const [name, value] of row) {
    const field = requireField(collection, name);
    set.push(`${dialect.quote(name)} = ${dialect.storedPlaceholder?.(field) ?? '?'}`);
    values.push(bindValue(field, value, dialect));
  }
  const where = compileRowFilter(collection, options);
  return {
    text: `update ${dialect.quote(collection.name)} set ${set.join(', ')} where ${where.text}`,
    values: [...values, ...where.values],
  };
};

/** The values of one row, by its key. */
export interface KeyedRow {
  readonly key: readonly Scalar[];
  readonly row: WriteRow;
}

/**
 * Compiles an update of one row or more, each with values of its own in the same columns, none of which is part of the key. It has no
 * other condition than the keys: the caller has locked the rows and checked them.
 */
export const compileUpdates = (
  collection: Collection,
  rows: readonly KeyedRow[],
  dialect: SqlDialect,
): RenderedStatement => {
  const filters = rows.map(({ key }) => compileTuples({ fields: collection.key, tuples: [key], dialect }));
  const set: string[] = [];
  const values: BindValue[] = [];
  for (const name of rows[0]?.row.keys() ?? []) {
    const field = requireField(collection, name);
    const placeholder = dialect.storedPlaceholder?.(field) ?? '?';
    const column = dialect.quote(name);
    const bound = rows.map(({ row }) => bindValue(field, row.get(name) ?? null, dialect));
    const [first = null] = bound;
    if (bound.every((value) => value === first)) {
      set.push(`${column} = ${placeholder}`);
      values.push(first);
      continue;
    }
    const whens = filters.map(({ text }) => `when ${text} then ${placeholder}`).join(' ');
    set.push(`${column} = case ${whens}${dialect.typesCaseByElse === true ? ` else ${column}` : ''} end`);
    filters.forEach((filter, index) => values.push(...filter.values, bound[index] ?? null));
  }
  const where = compileTuples({ fields: collection.key, tuples: rows.map(({ key }) => key), dialect });
  return {
    text: `update ${dialect.quote(collection.name)} set ${set.join(', ')} where ${where.text}`,
    values: [...values, ...where.values],
  };
};

/** Compiles a deletion by keys and condition. */
export const compileDelete = (collection: Collection, options: RowOptions): RenderedStatement => {
  const where = compileRowFilter(collection, options);
  return {
    text: `delete from ${options.dialect.quote(collection.name)} where ${where.text}`,
    values: where.values,
  };
};

/** The rows that a statement is about: those that have one of the keys and match the condition. */
export interface RowOptions {
  readonly dialect: SqlDialect;
  readonly keys: readonly (readonly Scalar[])[];
  readonly where: Condition;
  readonly input: BindInput;
}

/**
 * Selects the rows that exist and match the condition, and locks them until the transaction ends where the
 * database supports it.
 */
export const compileRowPermission = (collection: Collection, options: RowOptions): RenderedStatement => {
  const where = compileRowFilter(collection, options);
  const [key] = collection.key;
  const { dialect } = options;
  return {
    text: `select ${dialect.quote(key?.name ?? '')} as found from ${dialect.quote(collection.name)} where ${where.text}${dialect.rowLock}`,
    values: where.values,
  };
};

/**
 * Selects the keys of the rows that have one of the tuples and match the condition as `k0`, `k1`, …, and as `named` the
 * index of the first tuple that each row has. Locked like `compileRowPermission`, unless the caller locks what it finds.
 */
export const compileKeyMatches = (
  collection: Collection,
  { where, input, isLocked, ...matches }: TupleMatches & { readonly isLocked: boolean },
): RenderedStatement => {
  const { dialect, fields, tuples } = matches;
  const columns = collection.key.map(({ name }, index) => `${dialect.quote(name)} as k${index}, `).join('');
  const each = tuples.map((tuple) => compileTuples({ fields, tuples: [tuple], dialect }));
  const which = each.map(({ text }, index) => `when ${text} then ${index}`).join(' ');
  const filter = addCondition(compileTuples(matches), { collection, where, input, dialect });
  return {
    text: `select ${columns}case ${which} end as named from ${dialect.quote(collection.name)} where ${filter.text}${isLocked ? dialect.rowLock : ''}`,
    values: [...each.flatMap(({ values }) => values), ...filter.values],
  };
};

/** Selects columns of the rows that have one of the tuples and match the condition, locked like `compileRowPermission`. */
export const compileColumnsByTuples = (
  collection: Collection,
  columns: readonly Field[],
  { where, input, ...matches }: TupleMatches,
): RenderedStatement => {
  const { dialect } = matches;
  const names = columns.map(({ name }) => dialect.quote(name)).join(', ');
  const filter = addCondition(compileTuples(matches), { collection, where, input, dialect });
  return {
    text: `select ${names} from ${dialect.quote(collection.name)} where ${filter.text} order by ${names}${dialect.rowLock}`,
    values: filter.values,
  };
};

/** Selects as `last` the highest value of a field among the rows that have one of the tuples and match the condition. */
export const compileHighest = (
  collection: Collection,
  { name }: Field,
  { where, input, ...matches }: TupleMatches,
): RenderedStatement => {
  const { dialect } = matches;
  const filter = addCondition(compileTuples(matches), { collection, where, input, dialect });
  return {
    text: `select max(${dialect.quote(name)}) as last from ${dialect.quote(collection.name)} where ${filter.text}`,
    values: filter.values,
  };
};

const compileRowFilter = (
  collection: Collection,
  { dialect, keys, where, input }: RowOptions,
): RenderedStatement => {
  const byKey = compileTuples({ fields: collection.key, tuples: keys, dialect });
  return addCondition(byKey, { collection, where, input, dialect });
};

const addCondition = (
  filter: RenderedStatement,
  { collection, where, input, dialect }: Omit<RowOptions, 'keys'> & { readonly collection: Collection },
): RenderedStatement => {
  if (where.kind === 'true') return filter;
  const rendered = createStatement(compileOwnCondition(where, collection, dialect)).render(input);
  return { text: `${filter.text} and ${rendered.text}`, values: [...filter.values, ...rendered.values] };
};

const compileOwnCondition = (where: Condition, collection: Collection, dialect: SqlDialect): Sql =>
  compileCondition(where, createTableScope(collection, dialect));

/** A set of tuples, and a condition that the rows must match. */
export type TupleMatches = TupleFilter & Pick<RowOptions, 'where' | 'input'>;

/** Counts the tuples that rows matching the condition have. */
export const compileTupleCount = (
  collection: Collection,
  { where, input, ...matches }: TupleMatches,
): RenderedStatement => {
  const { dialect, fields } = matches;
  const filter = addCondition(compileTuples(matches), { collection, where, input, dialect });
  // a field may be part of the key and of a reference
  const names = new Set(fields.map(({ name }) => dialect.quote(name)));
  const rows = `select distinct ${[...names].join(', ')} from ${dialect.quote(collection.name)} where ${filter.text}`;
  return { text: `select count(*) as count from (${rows}) as found`, values: filter.values };
};
