/** Defines the inputs of one collection: items to create and to update, items in place of their keys, and changes of lists. */
import type { Collection, Field } from '../../model/types.js';
import { indirectColumns, indirectParents } from '../../model/indirect-columns.js';
import type { Definition, FieldDefinition } from '../../print/graphql.js';
import {
  anyLinksOf,
  columnLink,
  linksOf,
  nameDirective,
  type AnyLink,
  type Context,
  type Subject,
} from './context.js';
import { createNameAllocator } from './names.js';
import { inputType } from './operators.js';

type InputAction = 'create' | 'update' | 'relate';

/**
 * Defines an input type. In a batch update the key identifies the item; it is never changed, so it needs no permission. An
 * item in place of its key, or in a list, has all fields of both, and its key is enough for callers that can write neither.
 */
export const inputOf = (name: string, action: InputAction, { collection, context }: Subject): Definition => {
  const links = linksOf(collection, context);
  const anyLinks = anyLinksOf(collection, context);
  const indirect = indirectColumns(collection);
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
      type: action === 'create' && field.required && !indirect.has(field.name) ? `${type}!` : type,
      directives: {
        ...nameDirective(field),
        ...(field.readonly && { access: 'admin' }),
        ...(action !== 'create' && field.primaryKey && { key: 'true' }),
        ...(isObject && { otherwise: inputType(field, true) }),
      },
    };
  });
  return {
    kind: 'input',
    name,
    directives: { collection: collection.name, action },
    fields: [
      ...fields,
      ...writtenParents(collection, action, context),
      ...writtenTargets(anyLinks, context),
      ...writtenLists(collection, context),
    ],
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

/** Defines an object in place of a key of several columns. Updates have none where it would set a column of the own key. */
const writtenParents = (
  collection: Collection,
  action: InputAction,
  context: Context,
): readonly FieldDefinition[] =>
  indirectParents(collection).flatMap((relation) => {
    if (action === 'update' && relation.fields.some((field) => collection.key.includes(field))) return [];
    const target = context.collection(relation.target);
    if (target === undefined || target.key.length === 0) return [];
    const { related } = context.typesOf(target);
    const [requires = relation.name] = relation.fields;
    return [{ name: relation.graphql, type: related, directives: { ...nameDirective(relation), requires } }];
  });

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
 * ones by key), or only what changes, by a name that avoids those of other fields.
 */
const writtenLists = (collection: Collection, context: Context): readonly FieldDefinition[] => {
  const others = anyLinksOf(collection, context).flatMap(({ targets }) => targets);
  const allocate = createNameAllocator(
    [...collection.fields, ...collection.relations, ...others].map(({ graphql }) => graphql),
  );
  return linksOf(collection, context).flatMap(({ relation, target }) => {
    if (relation.kind !== 'oneToMany' || !relation.written) return [];
    const { related, changes } = context.typesOf(target);
    return [
      {
        name: relation.graphql,
        type: `[${related}]`,
        directives: { ...nameDirective(relation), collection: target.name, action: 'relate' },
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
export const changesOf = (name: string, { collection, context }: Subject): Definition => {
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
