/** Renames fields and collections in filters, payloads, paths and templates, which name them without a reference. Pure. */
import { callToText, parseCall } from '../../../contract/functions.js';
import { isObject } from '../../../contract/objects.js';
import type { RelationEntry } from '../snapshot/types.js';
import type { Renames } from './renames.js';

/** Renames in JSON that is about the items of a collection, which has its new name. What names nothing stays as it is. */
export interface PathRenamer {
  /** The keys of a filter, as rules and validations have it, or of values of an item with its related items. */
  keys(value: unknown, collection: string): unknown;
  /** A path, such as `author.name`. */
  path(text: string, collection: string): string;
  /** A text with paths, such as `{{title}} by {{author.name}}`. */
  template(text: string, collection: string): string;
}

/** A name within a collection, and the collection that it leads to; null for a plain field. */
interface Step {
  readonly name: string;
  readonly target: string | null;
}

/** @param relations with their new names */
export const createPathRenamer = (relations: readonly RelationEntry[], renames: Renames): PathRenamer => {
  const find = createLookup(relations, renames);
  const step = (key: string, collection: string): Step => {
    const call = parseCall(key);
    if (call === null) return find(key, collection);
    return { name: callToText({ ...call, argument: find(call.argument, collection).name }), target: null };
  };
  const walk = (value: unknown, collection: string): unknown => {
    if (Array.isArray(value)) return value.map((each) => walk(each, collection));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => {
        // operators that hold filters or related items
        if (/^_(?:and|or|some|none)$|^(?:create|update)$/.test(key) && typeof below === 'object')
          return [key, walk(below, collection)];
        const { name, target } = step(key, collection);
        return [name, target === null ? below : walk(below, target)];
      }),
    );
  };
  const path = (text: string, collection: string): string => {
    let at: string | null = collection;
    const parts = text.split('.').map((part) => {
      if (at === null) return part;
      const { name, target }: Step = step(part, at);
      at = target;
      return name;
    });
    return parts.join('.');
  };
  return {
    keys: walk,
    path,
    template: (text, collection) =>
      text.replaceAll(/(?<=\{\{\s*)[^{}\s][^{}]*?(?=\s*\}\})/g, (inner) => path(inner, collection)),
  };
};

const createLookup = (relations: readonly RelationEntry[], { collections, fields }: Renames) => {
  const tables = new Map([...collections].map(([to, from]) => [from, to]));
  const columns = new Map(
    [...fields].map(([id, from]) => {
      const [table = '', to = ''] = id.split('\0');
      return [`${table}\0${from}`, to] as const;
    }),
  );
  const lists = relations.flatMap((relation) => listNames(relation, { collections, fields }));
  return (key: string, collection: string): Step => {
    const [head = '', item] = key.split(':');
    const name = columns.get(`${collection}\0${head}`) ?? head;
    // an item of one of several collections
    if (item !== undefined) {
      const target = tables.get(item) ?? item;
      return { name: `${name}:${target}`, target };
    }
    const own = relations.find((each) => each.collection === collection && each.field === name);
    if (own !== undefined) return { name, target: own.related_collection };
    const list = lists.find(
      (each) => each.owner === collection && (each.names.includes(key) || each.name === name),
    );
    return list === undefined ? { name, target: null } : { name: list.name, target: list.target };
  };
};

interface List {
  readonly owner: string;
  readonly target: string;
  readonly name: string;
  /** The names that it had. */
  readonly names: readonly string[];
}

/** A list without a name in meta is called after its table, and its columns where there are several lists of it. */
const listNames = (
  { collection, field, related_collection: owner, meta }: RelationEntry,
  { collections, fields }: Renames,
): readonly List[] => {
  if (owner === null) return [];
  const list = { owner, target: collection };
  if (typeof meta?.one_field === 'string') return [{ ...list, name: meta.one_field, names: [] }];
  const former = collections.get(collection) ?? collection;
  const columns = field.split(',');
  const formerColumns = columns.map((column) => fields.get(`${collection}\0${column}`) ?? column);
  return [
    { ...list, name: collection, names: [former] },
    {
      ...list,
      name: `${collection}_by_${columns.join('_')}`,
      names: [`${former}_by_${formerColumns.join('_')}`],
    },
  ];
};
