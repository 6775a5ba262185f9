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
} from './context.js';
import { functionFields } from './functions.js';
import { inputType, comparisonOf, outputType } from './operators.js';
import { createNameAllocator } from './names.js';
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

const unionTypes = (collection: Collection, context: Context): readonly Definition[] =>
  anyLinksOf(collection, context).map(({ relation, targets }) => ({
    kind: 'union',
    name: context.unionOf(collection, relation),
    fields: [],
    values: targets.map(({ target }) => context.typesOf(target).item),
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

/** Defines the field of a many-to-any relation, which is the stored key for callers who may read no target. */
const anyField = (
  field: Field,
  { relation }: AnyLink,
  { collection, context }: Subject,
): FieldDefinition => ({
  name: relation.graphql,
  note: field.note,
  type: context.unionOf(collection, relation),
  directives: { ...nameDirective(relation), otherwise: outputType(field) },
});

/** @param column the column that contains the key, shown to callers who may not read the target */
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
  const targets = anyLinksOf(collection, context).flatMap((link) =>
    link.targets.map(({ graphql, name, target }): FieldDefinition => ({
      name: graphql,
      type: context.typesOf(target).filter,
      directives: { name, requires: link.relation.name },
    })),
  );
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

interface Subject {
  readonly collection: Collection;
  readonly context: Context;
}

type InputAction = 'create' | 'update' | 'relate';

/**
 * Defines an input type. In a batch update the key identifies the item; it is never changed. An item in place of its key has
 * all fields of both, and its key is enough for callers who may write none of them.
 */
const inputOf = (name: string, action: InputAction, { collection, context }: Subject): Definition => {
  const links = linksOf(collection, context);
  const anyLinks = anyLinksOf(collection, context);
  const fields = inputFields(collection, action).map((field): FieldDefinition => {
    const link = columnLink(field, links);
    const isAny = anyLinks.some(({ relation }) => relation.name === field.name);
    const isObject = link !== undefined && link.target.key.length > 0 && !field.primaryKey;
    const type = isObject
      ? context.typesOf(link.target).related
      : inputType(field, isAny || link !== undefined);
    return {
      name: field.graphql,
      note: field.note,
      type: action === 'create' && field.required ? `${type}!` : type,
      directives: {
        ...nameDirective(field),
        ...(field.readonly && { access: 'admin' }),
        ...(action === 'relate' && field.primaryKey && { key: 'true' }),
        ...(isObject && { otherwise: inputType(field, true) }),
      },
    };
  });
  return {
    kind: 'input',
    name,
    directives: { collection: collection.name, action },
    fields: [...fields, ...writtenTargets(anyLinks, context), ...writtenLists(collection, context)],
  };
};

/**
 * Returns the fields of an input, without those that clients cannot write. An input must have a field: where
 * none is left, auto-increment fields remain, which accept null.
 */
const inputFields = ({ fields }: Collection, action: InputAction): readonly Field[] => {
  const written = fields.filter(
    ({ generated, primaryKey }) => !generated || (action !== 'create' && primaryKey),
  );
  return written.length > 0 ? written : fields.filter(({ autoIncrement }) => autoIncrement);
};

/** Defines an object in place of the key of a many-to-any relation, with one name for each collection. */
const writtenTargets = (links: readonly AnyLink[], context: Context): readonly FieldDefinition[] =>
  links.flatMap(({ relation, targets }) =>
    targets
      .filter(({ target }) => target.key.length > 0 && !target.readonly)
      .map(({ graphql, name, target }) => ({
        name: graphql,
        type: context.typesOf(target).related,
        directives: { name, requires: relation.name },
      })),
  );

/**
 * Defines the lists that can be written through their owner, each in two ways: the whole list (new items, and existing
 * ones by key; callers who may not update items can only create them), or only what changes, by a name that avoids those of
 * other fields.
 */
const writtenLists = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const others = anyLinksOf(collection, context).flatMap(({ targets }) => targets);
  const allocate = createNameAllocator(
    [...collection.fields, ...collection.relations, ...others].map(({ graphql }) => graphql),
  );
  return linksOf(collection, context).flatMap(({ relation, target }) => {
    if (relation.kind !== 'oneToMany' || !relation.written) return [];
    const { create, update, changes } = context.typesOf(target);
    return [
      {
        name: relation.graphql,
        type: `[${update}]`,
        directives: { ...nameDirective(relation), otherwise: create },
      },
      {
        name: allocate(`${relation.graphql}_changes`),
        type: changes,
        directives: { name: relation.name },
      },
    ];
  });
};

/** Defines the changes of a list of items. All lists of a collection share it, so no field of the items is required. */
const changesOf = (name: string, { collection, context }: Subject): Definition => {
  const { update, related } = context.typesOf(collection);
  const fieldOf = (action: string, type: string): FieldDefinition => ({
    name: action === 'remove' ? 'delete' : action,
    type: `[${type}!]`,
    directives: { collection: collection.name, action },
  });
  return {
    kind: 'input',
    name,
    fields: [fieldOf('create', related), fieldOf('update', update), fieldOf('remove', 'ID')],
  };
};
