/** Defines the types of one collection: items, filters and inputs. */
import type { Collection, Field } from '../../model/types.js';
import type { Definition, FieldDefinition, Directives } from '../../print/graphql.js';
import {
  anyLinksOf,
  columnLink,
  linksOf,
  nameDirective,
  type AnyLink,
  type Context,
  type Link,
  type Subject,
} from './context.js';
import { functionFields } from './functions.js';
import { changesOf, inputOf } from './input-types.js';
import { comparisonOf, outputType } from './operators.js';
import { aggregatedLists } from './aggregates.js';
import { filterArgument, listArguments } from './roots.js';

/** Returns all types of a collection, used or not; the emitter keeps those that a root reaches. */
export const collectionTypes = (collection: Collection, context: Context): readonly Definition[] => {
  const { item, filter, quantifier, create, update, related, changes } = context.typesOf(collection);
  const reads = { collection: collection.name, action: 'read' };
  const filters = filterFields(collection, context);
  const logic = ['_and', '_or'].map((name) => ({ name, type: `[${filter}]` }));
  const compared = filters.filter(({ name }) => !logicNames.has(name));
  return [
    {
      kind: 'type',
      name: item,
      note: collection.note,
      directives: reads,
      fields: itemFields(collection, context),
    },
    ...unionTypes(collection, context),
    { kind: 'input', name: filter, directives: reads, fields: [...compared, ...logic] },
    {
      kind: 'input',
      name: quantifier,
      directives: reads,
      fields: [
        ...compared,
        ...logic,
        { name: '_some', type: filter },
        { name: '_none', type: filter },
        { name: '_null', type: 'Boolean' },
        { name: '_nnull', type: 'Boolean' },
        ...(collection.key.length === 1 ? keyComparisons : []),
      ],
    },
    ...(collection.key.length === 0
      ? []
      : [
          inputOf(create, 'create', { collection, context }),
          inputOf(update, 'update', { collection, context }),
          inputOf(related, 'relate', { collection, context }),
          changesOf(changes, { collection, context }),
        ]),
  ];
};

/** Operators that compare the keys of a list's items. */
const keyComparisons: readonly FieldDefinition[] = [
  { name: '_eq', type: 'ID' },
  { name: '_neq', type: 'ID' },
  { name: '_in', type: '[ID]' },
  { name: '_nin', type: '[ID]' },
];

/** Names of the operators. Columns of these names can only be filtered over REST. */
const logicNames: ReadonlySet<string> = new Set([
  '_and',
  '_or',
  '_some',
  '_none',
  '_null',
  '_nnull',
  ...keyComparisons.map(({ name }) => name),
]);

/** Defines the union of each many-to-any relation, and the filter of its items, with a field for each target. */
const unionTypes = (collection: Collection, context: Context): readonly Definition[] =>
  anyLinksOf(collection, context).flatMap((link): readonly Definition[] => [
    {
      kind: 'union',
      name: context.unionOf(collection, link.relation),
      fields: [],
      values: link.targets.map(({ target }) => context.typesOf(target).item),
    },
    {
      kind: 'input',
      name: context.unionFilterOf(collection, link.relation),
      directives: { collection: collection.name, action: 'read' },
      fields: targetFilters(link, context),
    },
  ]);

const targetFilters = ({ relation, targets }: AnyLink, context: Context): readonly FieldDefinition[] =>
  targets.map(({ graphql, name, target }) => ({
    name: graphql,
    type: context.typesOf(target).filter,
    directives: { name, requires: relation.name },
  }));

const itemFields = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const links = linksOf(collection, context);
  const anyLinks = anyLinksOf(collection, context);
  const columns = collection.fields.map((field): FieldDefinition => {
    const anyLink = anyLinks.find(({ relation }) => relation.name === field.name);
    if (anyLink !== undefined) return anyField(field, anyLink, { collection, context });
    const link = columnLink(field, links);
    return link === undefined ? valueField(field, collection) : linkField(link, context, field);
  });
  const names = new Set(collection.fields.map(({ name }) => name));
  const others = links.filter(({ relation }) => !names.has(relation.name));
  return [
    ...columns,
    ...others.map((link) => linkField(link, context)),
    ...aggregatedLists(collection, context),
    ...functionFields(collection, context, 'items'),
  ];
};

/** Defines the field of a value; a singleton without a row returns null for fields without a default. */
const valueField = (field: Field, { singleton }: Collection): FieldDefinition => ({
  name: field.graphql,
  note: field.note,
  type: `${outputType(field)}${field.nullable || singleton ? '' : '!'}`,
  directives: nameDirective(field),
});

/** Defines the field of a many-to-any relation, which is the stored key for callers without read access to any target. */
const anyField = (
  field: Field,
  { relation }: AnyLink,
  { collection, context }: Subject,
): FieldDefinition => ({
  name: relation.graphql,
  note: field.note,
  arguments: [{ name: 'filter', type: context.unionFilterOf(collection, relation) }],
  type: context.unionOf(collection, relation),
  directives: { ...nameDirective(relation), otherwise: outputType(field) },
});

/** @param column the column that contains the key, shown to callers without read access to the target */
const linkField = ({ relation, target }: Link, context: Context, column?: Field): FieldDefinition => {
  const { item } = context.typesOf(target);
  const isMany = relation.kind === 'oneToMany';
  return {
    name: relation.graphql,
    note: column?.note ?? null,
    arguments: isMany ? listArguments(target, context) : filterArgument(target, context),
    type: isMany ? `[${item}]` : item,
    directives: { ...nameDirective(relation), ...fallbackType(column, 'ID') },
  };
};

const fallbackType = (column: Field | undefined, type: string): Directives =>
  column === undefined ? {} : { otherwise: type };

const filterFields = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const links = linksOf(collection, context);
  const columns = collection.fields
    .filter((field) => columnLink(field, links) === undefined)
    .map((field): FieldDefinition => ({
      name: field.graphql,
      type: comparisonOf(field),
      directives: nameDirective(field),
    }));
  const targets = anyLinksOf(collection, context).flatMap((link) => targetFilters(link, context));
  return [
    ...columns,
    ...targets,
    ...links.map((link) => linkFilter(link, collection, context)),
    ...functionFields(collection, context, 'filters'),
  ];
};

const linkFilter = (
  { relation, target }: Link,
  { fields }: Collection,
  context: Context,
): FieldDefinition => {
  const { filter, quantifier } = context.typesOf(target);
  const column = fields.find((field) => field.name === relation.name && relation.kind === 'manyToOne');
  return {
    name: relation.graphql,
    type: relation.kind === 'oneToMany' ? quantifier : filter,
    directives: {
      ...nameDirective(relation),
      ...(column !== undefined && fallbackType(column, comparisonOf(column))),
    },
  };
};
