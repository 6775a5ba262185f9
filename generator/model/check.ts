/** Checks that meta refers to existing things: a fault in a file, a warning in the database. */
import { findUnsupportedIn } from '../../contract/expressions.js';
import { nearest, positionToText, suggest } from '../spec/faults.js';
import { collectionMetaKeys, fieldMetaKeys } from '../spec/meta-keys.js';
import type { Spec } from '../spec/types.js';
import { report, type Findings } from './findings.js';
import { sourceOfEntry, sourceOfKey, textOf, wordsOf, type Meta, type MetaEntry } from './meta.js';
import type { UnnamedRelation } from './relations.js';
import type { Tables } from './tables.js';

interface Known {
  readonly tables: Tables;
  readonly relations: ReadonlyMap<string, readonly UnnamedRelation[]>;
  readonly spec: Spec;
}

/**
 * Checks all meta and adds what is wrong to `findings`. Meta of tables that are not served is not checked
 * further.
 */
export const checkMeta = (meta: Meta, known: Known, findings: Findings): void => {
  checkTables(meta, known, findings);
  for (const [collection, entry] of meta.collections) {
    if (known.tables.has(collection)) checkCollection(collection, entry, { known, findings });
  }
  for (const [collection, entries] of meta.fields) {
    if (!known.tables.has(collection)) continue;
    for (const [field, entry] of entries)
      checkField(`${collection}.${field}`, field, { collection, entry, known, findings });
  }
};

/** Reports each missing table once. Rows of collections without one are folders. */
const checkTables = (meta: Meta, { tables, spec }: Known, findings: Findings): void => {
  const described = [meta.relations, meta.fields].flatMap((nested) =>
    [...nested].flatMap(([collection, entries]) =>
      [...entries.values()].slice(0, 1).map((entry) => [collection, entry] as const),
    ),
  );
  const isFolder = (collection: string): boolean =>
    ![meta.fields, meta.relations, spec.collections].some((known) => known.has(collection));
  const named = [...meta.collections].filter(([collection]) => !isFolder(collection));
  for (const [collection, entry] of new Map([...described, ...named])) {
    const file = spec.collections.get(collection);
    const isSystem = file !== undefined && file.columns !== null;
    if (tables.has(collection) || isSystem) continue;
    const position = file?.positionOf('collection') ?? file?.positionOf();
    const message = `there is no table "${collection}", or it is excluded`;
    const remedy = suggest(collection, tables.keys(), 'name a table of this database');
    report(findings, {
      ...sourceOfEntry(entry),
      ...(position === undefined ? {} : { position }),
      message,
      remedy,
    });
  }
};

interface Context {
  readonly known: Known;
  readonly findings: Findings;
}

const checkCollection = (collection: string, entry: MetaEntry, { known, findings }: Context): void => {
  const columns = [...(known.tables.get(collection)?.columns.keys() ?? [])];
  for (const key of ['sort_field', 'archive_field']) {
    const name = textOf(entry, key);
    if (name === null || columns.includes(name)) continue;
    const message = `"${collection}" has no column "${name}" that could be the ${key}`;
    report(findings, {
      ...sourceOfKey(entry, key),
      message,
      remedy: suggest(name, columns, 'name one of its columns'),
    });
  }
  warnMisspelled(collection, { entry, keys: collectionMetaKeys, findings });
};

interface FieldContext extends Context {
  readonly collection: string;
  readonly entry: MetaEntry;
}

/** Specials of fields without a column or relation, which only lay out forms. */
const presentational: ReadonlySet<string> = new Set(['alias', 'no-data', 'group']);

const checkField = (
  what: string,
  field: string,
  { collection, entry, known, findings }: FieldContext,
): void => {
  const table = known.tables.get(collection);
  // missing columns of an outdated system table are reported elsewhere
  const columns = [...new Set([...(table?.columns.keys() ?? []), ...(table?.system?.keys() ?? [])])];
  const names = [...columns, ...(known.relations.get(collection) ?? []).map(({ name }) => name)];
  const isAlias = wordsOf(entry, 'special').some((special) => presentational.has(special));
  if (!names.includes(field) && !isAlias) {
    const message = `"${collection}" has no column or relation "${field}"`;
    report(findings, {
      ...sourceOfEntry(entry),
      message,
      remedy: suggest(field, names, 'name one that exists'),
    });
  }
  for (const name of fieldsOfFilter(entry.values.get('validation')).filter(
    (name) => !columns.includes(name),
  )) {
    const message = `"${collection}" has no column "${name}" to validate`;
    report(findings, {
      ...sourceOfKey(entry, 'validation'),
      message,
      remedy: suggest(name, columns, 'name one of its columns'),
    });
  }
  for (const message of findUnsupportedIn(entry.values.get('validation')))
    report(findings, {
      ...sourceOfKey(entry, 'validation'),
      message,
      remedy: 'rewrite the expression',
      isInvalid: true,
    });
  warnMisspelled(what, { entry, keys: fieldMetaKeys, findings });
};

/** Returns the fields that a filter names at its top level and below `_and` and `_or`. */
const fieldsOfFilter = (filter: unknown): string[] => {
  if (Array.isArray(filter)) return filter.flatMap(fieldsOfFilter);
  if (typeof filter !== 'object' || filter === null) return [];
  return Object.entries(filter).flatMap(([key, value]) => {
    if (key === '_and' || key === '_or') return fieldsOfFilter(value);
    return key.includes('(') ? [] : [key];
  });
};

interface Misspelled {
  readonly entry: MetaEntry;
  readonly keys: ReadonlyMap<string, unknown>;
  readonly findings: Findings;
}

/** Warns about unknown meta keys that resemble a known one; all unknown keys are preserved. */
const warnMisspelled = (what: string, { entry, keys, findings }: Misspelled): void => {
  for (const [key, position] of entry.positions) {
    const similar = key === '' || keys.has(key) ? null : nearest(key, keys.keys());
    if (similar === null) continue;
    const message = `${what}: "${key}" is kept but does nothing; did you mean "${similar}"?`;
    findings.warnings.push(`${positionToText(position)}: ${message}`);
  }
};
