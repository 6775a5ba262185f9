/**
 * Compiles writes to statements with bound values. A write that returns its own row is one statement where
 * the database supports RETURNING.
 */
import { requireField, type Collection, type Field } from '../../contract/collection.js';
import type { Condition, ReadPlan } from '../plan/types.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { Scalar } from '../plan/parsed-value.js';
import { compileCondition, createCompiler, type SqlScope } from './condition.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';
import {
  createStatement,
  placeholderOf,
  cachedText,
  type BindInput,
  type RenderedStatement,
  type Sql,
} from './fragment.js';
import { placeholdersOf } from './parameters.js';
import { columnsOf, compileSelect, type Token } from './select.js';

/** The columns of a RETURNING clause and the template that turns them into JSON. */
export interface Returning {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * Compiles a read plan to a RETURNING clause, or returns null where it needs more than the row itself:
 * related rows, or rules.
 */
export const compileReturning = (plan: ReadPlan, dialect: SqlDialect): Returning | null => {
  if (!dialect.returning || plan.where.kind !== 'true') return null;
  const scope = ownScope(plan.collection, dialect);
  const select = compileSelect(plan.select, scope);
  const columns = columnsOf(select);
  const isPlain =
    scope.joins.size === 0 && select.lists.length === 0 && columns.every((part) => typeof part === 'string');
  return isPlain ? { text: columns.join(''), tokens: select.tokens } : null;
};

/** Returns a scope whose alias is the table's own name, as in INSERT and UPDATE. */
const ownScope = (collection: Collection, dialect: SqlDialect): SqlScope => ({
  compiler: createCompiler(dialect),
  alias: dialect.quote(collection.name),
  trail: '',
  joins: new Map(),
});

interface InsertOptions {
  readonly dialect: SqlDialect;
  readonly returning: string | null;
}

/** Compiles one insert for rows that have the same columns. */
export const compileInsert = (
  collection: Collection,
  rows: readonly WriteRow[],
  options: InsertOptions,
): RenderedStatement => {
  const fields: Field[] = [];
  const values: BindValue[] = [];
  let columns = '';
  for (const [name, value] of rows[0] ?? []) {
    const field = requireField(collection, name);
    fields.push(field);
    values.push(bindValue(field, value, options.dialect));
    columns += `${name}\0`;
  }
  for (let index = 1; index < rows.length; index += 1) {
    const row = rows[index];
    for (const field of fields) values.push(bindValue(field, row?.get(field.name) ?? null, options.dialect));
  }
  const text = cachedText(
    textsOf(collection),
    `${columns}${rows.length} ${options.returning}`,
    () => renderInsert(collection, { ...options, fields, count: rows.length }),
    maxTexts,
  );
  return { text, values };
};

const textsOf = (collection: Collection): Map<string, string> => {
  let texts = insertTexts.get(collection);
  if (texts === undefined) insertTexts.set(collection, (texts = new Map()));
  return texts;
};

const insertTexts = new WeakMap<Collection, Map<string, string>>();
const maxTexts = 200;

interface RenderOptions extends InsertOptions {
  readonly fields: readonly Field[];
  /** Number of rows. */
  readonly count: number;
}

const renderInsert = (
  { name, key }: Collection,
  { fields, count, dialect, returning }: RenderOptions,
): string => {
  const table = dialect.quote(name);
  const tail =
    returning === null ? '' : ` returning ${[returning, ...keyChecks(key, fields, dialect)].join(', ')}`;
  if (fields.length === 0) return `insert into ${table} ${dialect.emptyRow}${tail}`;
  const columns = fields.map((field) => dialect.quote(field.name)).join(', ');
  const row = `(${fields.map(() => '?').join(', ')})`;
  return `insert into ${table} (${columns}) values ${Array.from({ length: count }).fill(row).join(', ')}${tail}`;
};

/** Returns the checks of the keys that the database generates; the columns that they add are not read. */
const keyChecks = (
  key: readonly Field[],
  fields: readonly Field[],
  { generatedKeyCheck }: SqlDialect,
): readonly string[] =>
  generatedKeyCheck === undefined
    ? []
    : key.filter((field) => field.auto === true && !fields.includes(field)).map(generatedKeyCheck);

/** Compiles an update of the rows that have one of the keys and match the condition. */
export const compileUpdate = (
  collection: Collection,
  row: WriteRow,
  options: RowOptions,
): RenderedStatement => {
  const { dialect } = options;
  const set = [...row.keys()].map((name) => `${dialect.quote(name)} = ?`).join(', ');
  const values = [...row].map(([name, value]) => bindValue(requireField(collection, name), value, dialect));
  const where = compileRowFilter(collection, options);
  return {
    text: `update ${dialect.quote(collection.name)} set ${set} where ${where.text}`,
    values: [...values, ...where.values],
  };
};

export const compileDelete = (collection: Collection, options: RowOptions): RenderedStatement => {
  const where = compileRowFilter(collection, options);
  return {
    text: `delete from ${options.dialect.quote(collection.name)} where ${where.text}`,
    values: where.values,
  };
};

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
 * Selects the keys of the matching rows as `k0`, `k1`, …, and as `named` the index of the first given key
 * that matches each row. Locked like `compileRowPermission`.
 */
export const compileKeyMatches = (collection: Collection, options: RowOptions): RenderedStatement => {
  const { dialect, keys } = options;
  const columns = collection.key.map(({ name }, index) => `${dialect.quote(name)} as k${index}`).join(', ');
  const each = keys.map((key) => compileTuples({ fields: collection.key, tuples: [key], dialect }));
  const which = each.map(({ text }, index) => `when ${text} then ${index}`).join(' ');
  const where = compileRowFilter(collection, options);
  return {
    text: `select ${columns}, case ${which} end as named from ${dialect.quote(collection.name)} where ${where.text}${dialect.rowLock}`,
    values: [...each.flatMap(({ values }) => values), ...where.values],
  };
};

/**
 * Selects columns of the rows that have one of the tuples and match the condition, locked like
 * `compileRowPermission`.
 */
export const compileColumns = (
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
  compileCondition(where, ownScope(collection, dialect));

/**
 * Returns whether a condition uses only columns of the row itself: some databases cannot read the table that
 * they write.
 */
export const usesOwnRowOnly = (where: Condition): boolean => {
  switch (where.kind) {
    case 'true':
    case 'false':
      return true;
    case 'and':
    case 'or':
      return where.conditions.every(usesOwnRowOnly);
    case 'not':
      return usesOwnRowOnly(where.condition);
    case 'compare':
    case 'null':
    case 'empty':
      return where.column.path.length === 0;
    case 'at':
    case 'some':
      return false;
  }
};

/** A set of fields, and the tuples of values to compare them with. */
export interface TupleFilter {
  readonly fields: readonly Field[];
  readonly tuples: readonly (readonly Scalar[])[];
  readonly dialect: SqlDialect;
}

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

const compileTuples = ({ fields, tuples, dialect }: TupleFilter): RenderedStatement => {
  const names = fields.map((field) => dialect.quote(field.name));
  const bound = tuples.map((parts) =>
    fields.map((field, index) => bindValue(field, parts[index] ?? null, dialect)),
  );
  const placeholders = fields.map((field, index) =>
    placeholderOf(
      placeholdersOf(dialect, field),
      bound.map((parts) => parts[index] ?? null),
    ),
  );
  const values = bound.flat();
  if (tuples.length === 1) {
    return {
      text: names.map((name, index) => `${name} = ${placeholders[index] ?? '?'}`).join(' and '),
      values,
    };
  }
  const row = names.length === 1 ? (placeholders[0] ?? '?') : `(${placeholders.join(', ')})`;
  const list = tuples.map(() => row).join(', ');
  return { text: `${names.length === 1 ? (names[0] ?? '') : `(${names.join(', ')})`} in (${list})`, values };
};

const bindValue = (field: Field, value: Scalar | null, dialect: SqlDialect): BindValue =>
  value === null ? null : dialect.bind(field, value);
