/** The types of one collection: its items, their filters, and what is written. */
import type { Collection, Field } from '../../model/types.js';
import type { Definition, FieldDefinition, Directives } from '../../print/graphql.js';
import { linkOf, linksOf, spelled, type Context, type Link } from './context.js';
import { inputType, comparisonOf, outputType } from './operators.js';
import { filterArgument, listArguments } from './roots.js';

export const collectionTypes = (collection: Collection, context: Context): readonly Definition[] => {
  const { item, filter, quantifier, create, update } = context.typesOf(collection);
  const reads = { collection: collection.name, action: 'read' };
  const filters = filterFields(collection, context);
  const logic = ['_and', '_or'].map((name) => ({ name, type: `[${filter}]` }));
  const kept = filters.filter(({ name }) => !logicNames.has(name));
  return [
    {
      kind: 'type',
      name: item,
      note: collection.note,
      directives: reads,
      fields: itemFields(collection, context),
    },
    { kind: 'input', name: filter, directives: reads, fields: [...kept, ...logic] },
    {
      kind: 'input',
      name: quantifier,
      directives: reads,
      fields: [
        ...kept,
        ...logic,
        { name: '_some', type: filter },
        { name: '_none', type: filter },
        { name: '_null', type: 'Boolean' },
        { name: '_nnull', type: 'Boolean' },
      ],
    },
    ...(collection.key.length === 0
      ? []
      : [
          inputOf(create, 'create', { collection, context }),
          inputOf(update, 'update', { collection, context }),
        ]),
  ];
};

/** A column of such a name is filtered over REST, where it stands in brackets. */
const logicNames: ReadonlySet<string> = new Set(['_and', '_or', '_some', '_none', '_null', '_nnull']);

const itemFields = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const links = linksOf(collection, context);
  const columns = collection.fields.map((field): FieldDefinition => {
    const link = linkOf(field, links);
    return link === undefined ? valueField(field, collection) : linkField(link, context, field);
  });
  const names = new Set(collection.fields.map(({ name }) => name));
  const others = links.filter(({ relation }) => !names.has(relation.name));
  return [...columns, ...others.map((link) => linkField(link, context))];
};

/** An empty singleton has nulls where it has no defaults. */
const valueField = (field: Field, { singleton }: Collection): FieldDefinition => ({
  name: field.graphql,
  note: field.note,
  type: `${outputType(field)}${field.nullable || singleton ? '' : '!'}`,
  directives: spelled(field),
});

/** @param column what holds the key: it is shown to those who may not read the target */
const linkField = ({ relation, target }: Link, context: Context, column?: Field): FieldDefinition => {
  const { item } = context.typesOf(target);
  const isMany = relation.kind === 'oneToMany';
  return {
    name: relation.graphql,
    note: column?.note ?? null,
    arguments: isMany ? listArguments(target, context) : filterArgument(target, context),
    type: isMany ? `[${item}]` : item,
    directives: { ...spelled(relation), ...otherwise(column, 'ID') },
  };
};

const otherwise = (column: Field | undefined, type: string): Directives =>
  column === undefined ? {} : { otherwise: type };

const filterFields = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const links = linksOf(collection, context);
  const columns = collection.fields
    .filter((field) => linkOf(field, links) === undefined)
    .map((field): FieldDefinition => ({
      name: field.graphql,
      type: comparisonOf(field),
      directives: spelled(field),
    }));
  return [...columns, ...links.map((link) => linkFilter(link, collection, context))];
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
      ...spelled(relation),
      ...(column !== undefined && otherwise(column, comparisonOf(column))),
    },
  };
};

interface Subject {
  readonly collection: Collection;
  readonly context: Context;
}

/** A key says which item of a batch is meant; it never changes. */
const inputOf = (name: string, action: 'create' | 'update', { collection, context }: Subject): Definition => {
  const links = linksOf(collection, context);
  const fields = inputFields(collection, action).map((field): FieldDefinition => {
    const type = inputType(field, linkOf(field, links) !== undefined);
    return {
      name: field.graphql,
      note: field.note,
      type: action === 'create' && field.required ? `${type}!` : type,
      directives: { ...spelled(field), ...(field.readonly && { access: 'admin' }) },
    };
  });
  return {
    kind: 'input',
    name,
    directives: { collection: collection.name, action },
    fields: [...fields, ...writtenLists(links, context)],
  };
};

/** What no client writes is no part of it; where that leaves nothing, what the database counts stands as null. */
const inputFields = ({ fields }: Collection, action: 'create' | 'update'): readonly Field[] => {
  const written = fields.filter(
    ({ generated, primaryKey }) => !generated || (action === 'update' && primaryKey),
  );
  return written.length > 0 ? written : fields.filter(({ autoIncrement }) => autoIncrement);
};

/**
 * Lists that are written through their owner: every item of the list, a new one or one with its key; new ones only
 * from those who may not update.
 */
const writtenLists = (links: readonly Link[], context: Context): readonly FieldDefinition[] =>
  links.flatMap(({ relation, target }) =>
    relation.kind === 'oneToMany' && relation.written
      ? [
          {
            name: relation.graphql,
            type: `[${context.typesOf(target).update}]`,
            directives: { ...spelled(relation), otherwise: context.typesOf(target).create },
          },
        ]
      : [],
  );
