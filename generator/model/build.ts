/** Builds the model from catalog and spec. Pure. */
import type { Catalog } from '../introspection/catalog.js';
import type { DialectTraits } from '../introspection/dialect.js';
import { traitsOf } from '../introspection/index.js';
import type { Spec } from '../spec/types.js';
import { compareText } from '../../contract/text-order.js';
import { hashOf } from './canonical.js';
import { checkMeta } from './check.js';
import { buildFields, createFacts, type FactsOf } from './fields.js';
import { faultToText, ModelError, type Findings, type ModelFault } from './findings.js';
import { findLinks } from './links.js';
import { flagOf, overlayMeta, textOf, type Meta, type MetaEntry } from './meta.js';
import { collectionNames, queueModelNames } from './naming.js';
import { buildRelations, type UnnamedRelation } from './relations.js';
import { collectionNameCollisions, assignNames } from './member-names.js';
import { buildSystemTables } from './system-tables.js';
import { checkSystemTables, collectionTables, warnBrokenKeys, type CollectionTable } from './tables.js';
import type { Collection, CollectionNames, Model, Operation } from './types.js';

export interface ModelSources {
  readonly catalog: Catalog;
  readonly spec: Spec;
  /** True where the output is the package's own rather than a team's. */
  readonly forPackage?: boolean;
}

export interface BuiltModel {
  readonly model: Model;
  readonly warnings: readonly string[];
  /** Parts of the spec that the database lacks and that are left out; one sentence each. */
  readonly outdated: readonly string[];
}

/**
 * Builds the model.
 * @param ignoresOutdated leaves out what the spec says of columns and tables that do not exist, instead of throwing
 * @throws ModelError with every conflict between spec and database
 */
export const buildModel = ({
  ignoresOutdated = false,
  ...sources
}: ModelSources & { readonly ignoresOutdated?: boolean }): BuiltModel => {
  const { model, warnings, faults } = assembleModel(sources);
  const outdated = ignoresOutdated ? faults.filter(({ isOutdated }) => isOutdated === true) : [];
  if (faults.length > outdated.length)
    throw new ModelError(faults.filter((fault) => !outdated.includes(fault)));
  return { model, warnings, outdated: outdated.map(faultToText) };
};

/**
 * Builds a model from a catalog that may be older than the spec: omits and reports what does not match.
 */
export const assembleModel = ({
  catalog,
  spec,
  forPackage = false,
}: ModelSources): { model: Model; warnings: readonly string[]; faults: readonly ModelFault[] } => {
  const findings: Findings = { faults: [], warnings: [] };
  const tables = collectionTables(catalog, spec, findings.warnings);
  checkSystemTables(catalog, spec, findings);
  warnBrokenKeys(tables, findings.warnings);
  findings.warnings.push(...spec.operations.filter(({ served }) => !served).map(unservedOperation));
  const meta = overlayMeta(catalog, spec, findings.warnings);
  const links = findLinks(tables, meta, findings);
  const relations = buildRelations(tables, { links, spec, findings });
  checkMeta(meta, { tables, relations, spec }, findings);
  const names = nameCollections(tables.keys(), spec);
  findings.faults.push(...collectionNameCollisions(names));
  const factsOf = createFacts(tables, { meta, links, findings });
  const { keysBeforeInsert, nameType } = traitsOf(catalog.dialect);
  const context = { spec, meta, relations, names, factsOf, nameType, findings };
  const collections = [...tables].map(([name, table]) => buildCollection(name, table, context));
  const model: Model = {
    api: describe(spec.api),
    keysBeforeInsert,
    catalog,
    collections: hashCollections(collections.sort((a, b) => compareText(a.name, b.name))),
    systemTables: buildSystemTables(spec),
    operations: spec.operations,
    forPackage,
    operationTypes: spec.operationTypes,
    errors: spec.errors,
    queueModels: nameQueueModels(spec),
  };
  return { model, ...findings };
};

const unservedOperation = ({ id, method, path }: Operation): string =>
  `the operation "${id}" is only described: svc answers ${method.toUpperCase()} ${path} with 404; your own application has to serve it`;

interface BuildContext {
  readonly spec: Spec;
  readonly meta: Meta;
  readonly relations: ReadonlyMap<string, readonly UnnamedRelation[]>;
  readonly names: ReadonlyMap<string, CollectionNames>;
  readonly factsOf: FactsOf;
  readonly nameType: DialectTraits['nameType'];
  readonly findings: Findings;
}

type Unhashed = Omit<Collection, 'hash'>;

const buildCollection = (name: string, table: CollectionTable, context: BuildContext): Unhashed => {
  const { spec, meta, relations, names, factsOf, nameType, findings } = context;
  const file = spec.collections.get(name);
  const members = {
    fields: buildFields(table, { meta, factsOf, nameType, findings }),
    relations: relations.get(name) ?? [],
  };
  return {
    ...tableToCollection(table, meta.collections.get(name)),
    ...assignNames(name, members, { file, findings }),
    readonly: file?.readonly ?? false,
    access: file?.access ?? false,
    path: table.system === null ? `/items/${encodeURIComponent(name)}` : (file?.path ?? null),
    names: names.get(name) ?? collectionNames(name, {}),
  };
};

const describe = ({ title, version, description }: Spec['api']): Model['api'] => ({
  title,
  version,
  description,
});

/** Names queue models; of two ids with the same name (`a-b/c`, `a/b-c`), the later one is numbered. */
const nameQueueModels = ({ queueModels }: Spec): Model['queueModels'] => {
  const counts = new Map<string, number>();
  return queueModels.map((model) => {
    const names = queueModelNames(model.id);
    const count = (counts.get(names.type) ?? 0) + 1;
    counts.set(names.type, count);
    return { ...model, names: { ...names, type: count === 1 ? names.type : `${names.type}_${count}` } };
  });
};

const nameCollections = (tables: Iterable<string>, spec: Spec): ReadonlyMap<string, CollectionNames> =>
  new Map(
    [...tables].map(
      (name) => [name, collectionNames(name, spec.collections.get(name)?.names ?? {})] as const,
    ),
  );

type TablePart = Omit<Unhashed, 'path' | 'readonly' | 'access' | 'names' | 'fields' | 'relations'>;

const tableToCollection = (
  { table, columns, system }: CollectionTable,
  meta: MetaEntry | undefined,
): TablePart => {
  const sortField = textOf(meta, 'sort_field');
  return {
    name: table.name,
    kind: table.kind,
    system: system !== null,
    activity: activityOf(meta),
    note: textOf(meta, 'note') ?? (table.comment || null),
    singleton: flagOf(meta, 'singleton'),
    triggers: table.triggers === true,
    sortField: sortField !== null && columns.has(sortField) ? sortField : null,
    key: table.primaryKey ?? [],
    uniques: uniquesOf(table),
  };
};

/** Returns the activity setting; unknown values of a database row mean none. */
const activityOf = (meta: MetaEntry | undefined): Collection['activity'] => {
  const setting = textOf(meta, 'accountability');
  return setting === 'all' || setting === 'activity' ? setting : null;
};

/**
 * Returns the unique constraints, which identify a row, as an index that is unique for some rows only does not. Several may have
 * the same fields: errors of some databases name a constraint, not its fields.
 */
const uniquesOf = ({ uniques }: CollectionTable['table']): Collection['uniques'] =>
  uniques.map(({ name, columns }) => ({ name, fields: columns })).sort((a, b) => compareText(a.name, b.name));

/**
 * Hashes collections: output of one depends on itself and on names and keys of the collections it references.
 */
const hashCollections = (collections: readonly Unhashed[]): Collection[] => {
  const publicParts = new Map(collections.map((collection) => [collection.name, publicPartOf(collection)]));
  return collections.map((collection) => {
    const related = collection.relations.flatMap((relation) =>
      relation.kind === 'manyToAny' ? relation.targets : [relation.target],
    );
    return {
      ...collection,
      hash: hashOf([collection, related.map((name) => publicParts.get(name) ?? null)]),
    };
  });
};

const publicPartOf = ({ name, names, key, fields }: Unhashed): unknown => [
  name,
  names,
  key.map((field) => fields.find((candidate) => candidate.name === field)?.type ?? null),
];
