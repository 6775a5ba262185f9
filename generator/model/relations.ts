/** Builds the relations of both sides of each link under their client names. */
import { suggest } from '../spec/faults.js';
import type { Spec } from '../spec/types.js';
import { compareText } from '../../contract/text-order.js';
import { report, type Findings } from './findings.js';
import { byColumns, type Link, type Links } from './links.js';
import { sourceOfKey, textOf } from './meta.js';
import { specFileOf, yamlWord } from './naming.js';
import type { CollectionTable, Tables } from './tables.js';
import type { ManyToAny, ManyToOne, OneToMany } from './types.js';

type Spelling = 'graphql' | 'property';

/** A relation without its GraphQL and Objection names. */
export type UnnamedRelation =
  | Omit<ManyToOne, Spelling>
  | Omit<OneToMany, Spelling>
  | Omit<ManyToAny, Spelling>;

/** Returns relations by collection, sorted by name. */
export const buildRelations = (
  tables: Tables,
  context: Omit<RelationContext, 'tables'>,
): ReadonlyMap<string, readonly UnnamedRelation[]> => {
  const { links, findings } = context;
  const incoming = incomingLinks(links);
  const relations = new Map<string, readonly UnnamedRelation[]>();
  for (const [name, table] of tables) {
    const outgoing = (links.toOne.get(name) ?? []).map(linkToManyToOne);
    const toAny = (links.toAny.get(name) ?? []).map(({ column, collectionColumn, targets }) => ({
      kind: 'manyToAny' as const,
      name: column,
      meta: true,
      field: column,
      collectionField: collectionColumn,
      targets,
    }));
    const lists = nameLists(table, { outgoing, incoming: incoming.get(name) ?? [], findings }).map(
      ({ link, name }) => linkToOneToMany(link, name, { ...context, tables }),
    );
    relations.set(
      name,
      [...outgoing, ...toAny, ...lists].sort((a, b) => compareText(a.name, b.name)),
    );
  }
  return relations;
};

/** Groups links by target collection. */
const incomingLinks = (links: Links): ReadonlyMap<string, readonly Link[]> => {
  const incoming = new Map<string, Link[]>();
  for (const link of [...links.toOne.values()].flat()) {
    const list = incoming.get(link.one) ?? [];
    list.push(link);
    incoming.set(link.one, list);
  }
  return incoming;
};

const linkToManyToOne = (link: Link): Omit<ManyToOne, Spelling> => ({
  kind: 'manyToOne',
  name: link.name,
  meta: link.meta !== null,
  target: link.one,
  fields: link.columns,
  targetFields: link.references,
  constrained: link.constrained,
});

interface Named {
  readonly link: Link;
  readonly name: string;
}

interface ListContext {
  readonly outgoing: readonly Omit<ManyToOne, Spelling>[];
  readonly incoming: readonly Link[];
  readonly findings: Findings;
}

/**
 * Names the lists of a collection. Names from meta come first; a derived name that collides with one is a
 * fault whose remedy says what to write. Where it collides with a key that is named after its table, it is
 * changed instead, since neither name was chosen.
 */
const nameLists = (
  { table, columns }: CollectionTable,
  { outgoing, incoming, findings }: ListContext,
): Named[] => {
  const taken = new Map<string, string>();
  for (const { name, fields } of outgoing) taken.set(name, `its relation over ${fields.join(', ')}`);
  for (const column of columns.keys()) taken.set(column, `its column "${column}"`);
  const keys = new Set(outgoing.map(({ name }) => name).filter((name) => !columns.has(name)));
  const counts = countByMany(incoming);
  const ordered = [...incoming].sort(
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
 * Returns the name of a list: that in meta, or the table on the many side. Where that table refers to this
 * one twice, or a key has the table's name, the name includes the columns, and the suffix `_list` where a key
 * includes them too.
 */
const nameOfList = ({ many, columns, meta }: Link, count: number, keys: ReadonlySet<string>): string => {
  const declared = textOf(meta ?? undefined, 'one_field');
  if (declared !== null) return declared;
  if (count === 1 && !keys.has(many)) return many;
  const name = byColumns(many, columns);
  return keys.has(name) ? `${name}_list` : name;
};

const countByMany = (incoming: readonly Link[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { many } of incoming) counts.set(many, (counts.get(many) ?? 0) + 1);
  return counts;
};

const collision = (
  link: Link,
  name: string,
  { table, owner }: { readonly table: string; readonly owner: string },
) => {
  const position = link.meta?.positions.get('one_field');
  const where =
    position === undefined ? `table ${table}` : `${position.file}:${position.line}:${position.column}`;
  const entry = `relations: [{ field: ${yamlWord(link.name)}, one_field: … }]`;
  return {
    where,
    message: `the list of ${keyOf(link)} would be called "${name}" in "${table}", like ${owner}`,
    remedy: `give it another name in ${specFileOf(link.many)}: ${entry}`,
  };
};

interface RelationContext {
  readonly tables: Tables;
  readonly links: Links;
  readonly spec: Spec;
  readonly findings: Findings;
}

const linkToOneToMany = (link: Link, name: string, context: RelationContext): Omit<OneToMany, Spelling> => ({
  kind: 'oneToMany',
  name,
  meta: isNamed(link),
  target: link.many,
  fields: link.references,
  targetFields: link.columns,
  junctionField: knownName(link, 'junction_field', junctionNames(link, context.links), context.findings),
  sortField: knownName(link, 'sort_field', columnsOf(link, context.tables), context.findings),
  deselect: textOf(link.meta ?? undefined, 'one_deselect_action') === 'delete' ? 'delete' : 'nullify',
  written: isWrittenInLists(link.many, context),
});

const isWrittenInLists = (collection: string, { tables, spec }: RelationContext): boolean => {
  const { readonly = false } = spec.collections.get(collection) ?? {};
  const key = tables.get(collection)?.table.primaryKey ?? null;
  return key !== null && !readonly;
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
    ...sourceOfKey(meta, key),
    message,
    remedy: suggest(name, known, `name a ${what} of "${many}"`),
  });
  return null;
};
