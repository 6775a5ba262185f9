/** Compiles inserts, and the RETURNING clauses of writes that return their own row in one statement. */
import { requireField, type Collection, type Field } from '../../contract/collection.js';
import { findOrCreate } from '../concurrency/bounded-map.js';
import type { ReadPlan } from '../plan/types.js';
import type { WriteRow } from '../plan/write-plan.js';
import type { BindValue, SqlDialect } from '../databases/contract.js';
import type { RenderedStatement } from './fragment.js';
import { createTableScope } from './table-scope.js';
import { columnsOf, compileSelect, type Token } from './select.js';
import { bindValue } from './tuples.js';

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
  const scope = createTableScope(plan.collection, dialect);
  const select = compileSelect(plan.select, scope);
  const columns = columnsOf(select);
  const isPlain =
    scope.joins.size === 0 && select.lists.length === 0 && columns.every((part) => typeof part === 'string');
  return isPlain ? { text: columns.join(''), tokens: select.tokens } : null;
};

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
  const key = `${columns}${rows.length} ${options.returning}`;
  const text = findOrCreate(textsOf(collection), { key, maximum: maxTexts }, () =>
    renderInsert(collection, { ...options, fields, count: rows.length }),
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
  const row = `(${fields.map((field) => dialect.storedPlaceholder?.(field) ?? '?').join(', ')})`;
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
