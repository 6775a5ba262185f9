/** Builds the relations of both sides of each link under their client names. */
import { suggest } from '../spec/faults.js';
import type { Spec } from '../spec/types.js';
import { compareText } from './canonical.js';
import { report, type Findings } from './findings.js';
import { byColumns, type Link, type Links } from './links.js';
import { aboutKey, textOf } from './meta.js';
import { specFileOf, yamlWord } from './naming.js';
import type { CollectionTable, Tables } from './tables.js';
import type { ManyToAny, ManyToOne, OneToMany } from './types.js';

type Spelling = 'graphql' | 'property';

/** A relation without its GraphQL and Objection names. */
export type BareRelation = Omit<ManyToOne, Spelling> | Omit<OneToMany, Spelling> | Omit<ManyToAny, Spelling>;

/** Returns relations by collection, sorted by name. */
export const buildRelations = (
  tables: Tables,
  surroundings: Omit<Surroundings, 'tables'>,
): ReadonlyMap<string, readonly BareRelation[]> => {
  const { links, findings } = surroundings;
  const arriving = arrivingLinks(links);
  const relations = new Map<string, readonly BareRelation[]>();
  for (const [name, table] of tables) {
    const leaving = (links.toOne.get(name) ?? []).map(linkToManyToOne);
    const toAny = (links.toAny.get(name) ?? []).map(({ column, collectionColumn, targets }) => ({
      kind: 'manyToAny' as const,
      name: column,
      meta: true,
      field: column,
      collectionField: collectionColumn,
      targets,
    }));
    const lists = nameLists(table, { leaving, arriving: arriving.get(name) ?? [], findings }).map(
      ({ link, name }) => linkToOneToMany(link, name, { ...surroundings, tables }),
    );
    relations.set(
      name,
      [...leaving, ...toAny, ...lists].sort((a, b) => compareText(a.name, b.name)),
    );
  }
  return relations;
};

/** Groups links by target collection. */
const arrivingLinks = (links: Links): ReadonlyMap<string, readonly Link[]> => {
  const arriving = new Map<string, Link[]>();
  for (const link of [...links.toOne.values()].flat()) {
    const list = arriving.get(link.one) ?? [];
    list.push(link);
    arriving.set(link.one, list);
  }
  return arriving;
};

const linkToManyToOne = ({ name, one, columns, references, meta }: Link): Omit<ManyToOne, Spelling> => ({
  kind: 'manyToOne',
  name,
  meta: meta !== null,
  target: one,
  fields: columns,
  targetFields: references,
});

interface Named {
  readonly link: Link;
  readonly name: string;
}

interface Arrivals {
  readonly leaving: readonly Omit<ManyToOne, Spelling>[];
  readonly arriving: readonly Link[];
  readonly findings: Findings;
}

/**
 * Names that the meta gives come first: a derived name gives way, as a fault that says what to write. To a key that is
 * named after its table it gives way by itself: nobody chose that name either.
 */
const nameLists = (
  { table, columns }: CollectionTable,
  { leaving, arriving, findings }: Arrivals,
): Named[] => {
  const taken = new Map<string, string>();
  for (const { name, fields } of leaving) taken.set(name, `its relation over ${fields.join(', ')}`);
  for (const column of columns.keys()) taken.set(column, `its column "${column}"`);
  const keys = new Set(leaving.map(({ name }) => name).filter((name) => !columns.has(name)));
  const counts = countByMany(arriving);
  const ordered = [...arriving].sort(
    (a, b) => Number(isNamed(b)) - Number(isNamed(a)) || compareText(keyOf(a), keyOf(b)),
  );
  return ordered.flatMap((link) => {
    const name = nameOfList(link, counts.get(link.many) ?? 0, keys);
    const owner = taken.get(name);
    if (owner !== undefined) {
      findings.faults.push(collision(link, name, { table: table.name, owner }));
      return [];
    }
    taken.set(name, `the list of ${keyOf(link)}`);
    return [{ link, name }];
  });
};

const keyOf = ({ many, name }: Link): string => `${many}.${name}`;

const isNamed = ({ meta }: Link): boolean => textOf(meta ?? undefined, 'one_field') !== null;

/**
 * The meta's name, else the many table's; where that table points here twice, every name says by which columns, as it
 * does where a key has the table's name; and that it is the list, where a key says that too.
 */
const nameOfList = ({ many, columns, meta }: Link, count: number, keys: ReadonlySet<string>): string => {
  const said = textOf(meta ?? undefined, 'one_field');
  if (said !== null) return said;
  if (count === 1 && !keys.has(many)) return many;
  const name = byColumns(many, columns);
  return keys.has(name) ? `${name}_list` : name;
};

const countByMany = (arriving: readonly Link[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { many } of arriving) counts.set(many, (counts.get(many) ?? 0) + 1);
  return counts;
};

const collision = (
  link: Link,
  name: string,
  { table, owner }: { readonly table: string; readonly owner: string },
) => {
  const place = link.meta?.places.get('one_field');
  const where = place === undefined ? `table ${table}` : `${place.file}:${place.line}:${place.column}`;
  const entry = `relations: [{ field: ${yamlWord(link.name)}, one_field: … }]`;
  return {
    where,
    message: `the list of ${keyOf(link)} would be called "${name}" in "${table}", like ${owner}`,
    remedy: `give it another name in ${specFileOf(link.many)}: ${entry}`,
  };
};

interface Surroundings {
  readonly tables: Tables;
  readonly links: Links;
  readonly spec: Spec;
  readonly findings: Findings;
}

const linkToOneToMany = (
  link: Link,
  name: string,
  surroundings: Surroundings,
): Omit<OneToMany, Spelling> => ({
  kind: 'oneToMany',
  name,
  meta: isNamed(link),
  target: link.many,
  fields: link.references,
  targetFields: link.columns,
  junctionField: knownName(
    link,
    'junction_field',
    junctionNames(link, surroundings.links),
    surroundings.findings,
  ),
  sortField: knownName(link, 'sort_field', columnsOf(link, surroundings.tables), surroundings.findings),
  deselect: textOf(link.meta ?? undefined, 'one_deselect_action') === 'delete' ? 'delete' : 'nullify',
  written: isWrittenInLists(link.many, surroundings),
});

const isWrittenInLists = (collection: string, { tables, spec }: Surroundings): boolean => {
  const { access = false, readonly = false } = spec.collections.get(collection) ?? {};
  const key = tables.get(collection)?.table.primaryKey ?? null;
  return key !== null && !access && !readonly;
};

/** Returns the other relations of the junction, one of which leads to the far side. */
const junctionNames = ({ many, name }: Link, { toOne, toAny }: Links): string[] =>
  [
    ...(toOne.get(many) ?? []).map((link) => link.name),
    ...(toAny.get(many) ?? []).map(({ column }) => column),
  ].filter((other) => other !== name);

const columnsOf = ({ many }: Link, tables: Tables): string[] => [...(tables.get(many)?.columns.keys() ?? [])];

const knownName = (
  { many, meta }: Link,
  key: string,
  known: readonly string[],
  findings: Findings,
): string | null => {
  const name = textOf(meta ?? undefined, key);
  if (name === null || meta === null || known.includes(name)) return name;
  const what = key === 'sort_field' ? 'column' : 'relation';
  const message = `"${many}" has no ${what} "${name}" that could be the ${key}`;
  report(findings, {
    ...aboutKey(meta, key),
    message,
    remedy: suggest(name, known, `name a ${what} of "${many}"`),
  });
  return null;
};
