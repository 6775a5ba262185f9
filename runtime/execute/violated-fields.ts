/** Finds the fields that a violation is about, from what the error of the database says. */
import type { Field } from '../../contract/collection.js';
import type { FieldType } from '../../contract/field-types.js';
import type { Violation } from '../databases/contract.js';
import type { Write } from './failures.js';

/**
 * Returns the field of a violation; for a check constraint, all written fields that its condition mentions. Empty where nothing tells
 * the field.
 */
export const findFields = async (violation: Violation, write: Write): Promise<readonly Field[]> => {
  const { columns, constraint } = violation;
  const { fields } = write.collection;
  const named = fields.get(columns.find((name) => fields.has(name)) ?? constraint ?? '');
  if (named !== undefined) return [named];
  const bound = violation.parameter === undefined ? null : boundField(violation.parameter, write);
  if (bound !== null) return [bound];
  const mentioned = await findMentioned(violation, write);
  const isOne = mentioned.length === 1;
  if (isOne || (violation.kind === 'check' && mentioned.length > 0)) return mentioned;
  return violation.kind === 'type' || violation.kind === 'range' ? findUnparsed(write) : [];
};

/** Returns the field of a bound value where all rows have the same fields. */
const boundField = (parameter: number, { collection, rows }: Write): Field | null => {
  const names = [...(rows[0]?.keys() ?? [])];
  const isAlike = rows.every((row) => [...row.keys()].join('\0') === names.join('\0'));
  return (isAlike ? collection.fields.get(names[parameter % names.length] ?? '') : undefined) ?? null;
};

/**
 * Returns the field that the condition of a check constraint, or the name of a constraint, mentions; of several, those that are
 * written, as the caller may not know of others.
 */
const findMentioned = async (violation: Violation, write: Write): Promise<readonly Field[]> => {
  // texts and types of casts may be spelled like columns
  const sql = (await findClause(violation, write)).replaceAll(/'(?:[^']|'')*'|::\w+/g, ' ');
  const words = new Set(sql.split(/[^\p{L}\p{N}_$]+/u));
  const isMentioned = ({ name }: Field): boolean =>
    words.has(name) || sql.includes(write.dialect.quote(name));
  const mentioned = [...write.collection.fields.values()].filter(isMentioned);
  return mentioned.length < 2
    ? mentioned
    : mentioned.filter(({ name }) => write.rows.some((row) => row.has(name)));
};

/** Returns the condition of a check constraint, or its name. */
const findClause = async (
  { kind, constraint }: Violation,
  { collection, executor, dialect }: Write,
): Promise<string> => {
  if (kind !== 'check' || constraint === null || dialect.checkClause === undefined) return constraint ?? '';
  const [row] = await executor.query(dialect.checkClause, [constraint, collection.name]);
  return String(row?.clause ?? constraint);
};

/**
 * Returns the written field whose type only the database parses, if there is exactly one: all others were
 * validated before.
 */
const findUnparsed = ({ collection, rows }: Write): readonly Field[] => {
  const isWritten = ({ name }: Field): boolean => rows.some((row) => (row.get(name) ?? null) !== null);
  const unparsed = [...collection.fields.values()].filter((field) => isUnparsed(field) && isWritten(field));
  return unparsed.length === 1 ? unparsed : [];
};

const isUnparsed = ({ type, dbType }: Field): boolean => dbType !== undefined && unparsedTypes.has(type);

/**
 * Field types that may have a database type which only the database parses: addresses, ranges, arrays, 4-byte
 * floats.
 */
const unparsedTypes: ReadonlySet<FieldType> = new Set(['string', 'unknown', 'json', 'float'] as const);
