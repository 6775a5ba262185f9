/** Builds fields from columns and their meta. */
import type { Column } from '../introspection/catalog.js';
import type { DialectTraits } from '../introspection/dialect.js';
import { report, type Findings } from './findings.js';
import {
  castFacts,
  columnToFacts,
  defaultToWire,
  findCast,
  keyFacts,
  systemFacts,
  type TypeFacts,
} from './field-types.js';
import type { Links } from './links.js';
import { sourceOfKey, flagOf, textOf, wordsOf, type Meta, type MetaEntry } from './meta.js';
import type { CollectionTable, Tables } from './tables.js';
import type { Field } from './types.js';

/** A field without its GraphQL name. */
export type UnnamedField = Omit<Field, 'graphql'>;

interface FieldSources {
  readonly meta: Meta;
  readonly factsOf: FactsOf;
  readonly nameType: DialectTraits['nameType'];
  readonly findings: Findings;
}

/** Returns the fields of a table in column order. */
export const buildFields = (
  { table, columns }: CollectionTable,
  { meta, factsOf, nameType, findings }: FieldSources,
): UnnamedField[] =>
  [...columns.values()].map((column) => {
    const entry = meta.fields.get(table.name)?.get(column.name);
    const facts = factsOf(table.name, column.name);
    if (facts.type === 'unknown') findings.warnings.push(unknownType(table.name, column));
    return columnToField(column, {
      entry,
      facts,
      sqlType: facts.type === 'unknown' ? column.dbType : nameType({ ...facts, dbType: column.dbType }),
      primaryKey: table.primaryKey?.includes(column.name) ?? false,
      findings,
    });
  });

const unknownType = (table: string, { name, dbType }: Column): string =>
  `${table}.${name}: svc does not know the column type "${dbType}"; the field is readable as text`;

interface FieldInput {
  readonly entry: MetaEntry | undefined;
  readonly facts: TypeFacts;
  readonly sqlType: string | null;
  readonly primaryKey: boolean;
  readonly findings: Findings;
}

const columnToField = (column: Column, input: FieldInput): UnnamedField => {
  const { entry, facts, sqlType, primaryKey, findings } = input;
  const specials = wordsOf(entry, 'special');
  const fill = fillOf(specials);
  const isProvided = column.autoIncrement || column.generated !== null || fill !== null;
  const hasDefault = isProvided || column.default !== null;
  const literal = column.default?.kind === 'literal' ? column.default.value : null;
  return {
    name: column.name,
    ...facts,
    dbType: column.dbType,
    sqlType,
    nullable: column.nullable,
    required: (!column.nullable && !hasDefault) || (!isProvided && flagOf(entry, 'required')),
    hasDefault,
    defaultValue: literal === null ? null : defaultToWire(literal, facts),
    defaultSql: column.default?.kind === 'expression' ? column.default.sql : null,
    primaryKey,
    autoIncrement: column.autoIncrement,
    generated: column.generated !== null,
    readonly: flagOf(entry, 'readonly'),
    collation: column.collation ?? null,
    conceal: specials.includes('conceal'),
    hash: specials.includes('hash'),
    token: specials.includes('static-token'),
    lowerCase: specials.includes('lower-case'),
    fill,
    validation: entry === undefined ? null : validationOf(entry, findings),
    validationMessage: textOf(entry, 'validation_message'),
    validationType: textOf(entry, 'validation_type'),
    note: textOf(entry, 'note') ?? (column.comment || null),
  };
};

const fills = ['uuid', 'user-created', 'user-updated', 'date-created', 'date-updated'] as const;

/** Returns which value the server fills in; the first matching special applies. */
const fillOf = (specials: readonly string[]): Field['fill'] =>
  specials.map((special) => fills.find((fill) => fill === special)).find((fill) => fill !== undefined) ??
  null;

const validationOf = (entry: MetaEntry, findings: Findings): Field['validation'] => {
  const filter = entry.values.get('validation') ?? null;
  if (filter === null) return null;
  if (typeof filter === 'object' && !Array.isArray(filter))
    return filter as Readonly<Record<string, unknown>>;
  const remedy = 'write it as { field: { operator: value } }';
  const message = '"validation" is not a filter';
  report(findings, { ...sourceOfKey(entry, 'validation'), message, remedy, isInvalid: true });
  return null;
};

/** Returns the type of a field by table and column. */
export type FactsOf = (table: string, column: string) => TypeFacts;

/**
 * Computes types on demand and once each, because a key takes the type of its target, through any number of
 * steps.
 */
export const createFacts = (
  tables: Tables,
  { meta, links, findings }: { meta: Meta; links: Links; findings: Findings },
): FactsOf => {
  const targets = keyTargets(links);
  const known = new Map<string, TypeFacts>();
  const factsOf: FactsOf = (table, column) => {
    const id = JSON.stringify([table, column]);
    const before = known.get(id);
    if (before !== undefined) return before;
    const own = ownFacts(tables.get(table), column, { entry: meta.fields.get(table)?.get(column), findings });
    // placeholder that ends a cycle of keys
    known.set(id, own);
    const ends = (targets.get(id) ?? []).map((target) => factsOf(target.table, target.column));
    const isDeclared = tables.get(table)?.columns.get(column)?.dbType !== '';
    const facts = keyFacts(own, { isDeclared, ends });
    known.set(id, facts);
    return facts;
  };
  return factsOf;
};

interface KeyTarget {
  readonly table: string;
  readonly column: string;
}

const keyTargets = (links: Links): ReadonlyMap<string, readonly KeyTarget[]> => {
  const targets = new Map<string, KeyTarget[]>();
  for (const { many, columns, one, references } of [...links.toOne.values()].flat()) {
    for (const [index, column] of columns.entries()) {
      const id = JSON.stringify([many, column]);
      targets.set(id, [...(targets.get(id) ?? []), { table: one, column: references[index] ?? '' }]);
    }
  }
  return targets;
};

/** Returns the type from spec, special or column, in this order. */
const ownFacts = (
  table: CollectionTable | undefined,
  name: string,
  { entry, findings }: { entry: MetaEntry | undefined; findings: Findings },
): TypeFacts => {
  const column = table?.columns.get(name);
  if (column === undefined) return columnToFacts({ kind: 'unknown' });
  const declared = table?.system?.get(name);
  if (declared !== undefined) return systemFacts(declared, column);
  const cast = findCast(wordsOf(entry, 'special'), column);
  if (cast === null || entry === undefined) return columnToFacts(column.type);
  if (cast.fits) return castFacts(cast.special, column);
  const message = `a column of type "${column.dbType}" cannot be "${cast.special}"`;
  report(findings, {
    ...sourceOfKey(entry, 'special'),
    message,
    remedy: 'use another column or drop the special',
  });
  return columnToFacts(column.type);
};
