/** Describes the paths of one collection: its list and its items. */
import type { ParameterObject, PathItemObject, PathsObject } from 'openapi3-ts/oas31';
import type { Collection } from '../../model/types.js';
import { oneLine } from '../../print/text.js';
import {
  create,
  deleteMany,
  deleteOne,
  list,
  readOne,
  search,
  updateMany,
  updateOne,
  type Subject,
} from './collection-operations.js';
import type { Context } from './context.js';
import { exportFile, importFile } from './transfers.js';
import { code } from './text.js';
import { pathKeySchema } from './wire.js';

/** Views and keyless tables have a list only, singletons one item only. */
export const collectionPaths = (collection: Collection, context: Context): PathsObject => {
  const { path } = collection;
  if (path === null) return {};
  const subject = { collection, context, stem: context.stemOf(collection), name: oneLine(collection.name) };
  if (collection.singleton) return { [path]: singletonPath(subject) };
  const transfers = collection.system ? {} : transferPaths(path, subject);
  if (collection.key.length === 0) return { [path]: readOnlyPath(subject), ...transfers };
  if (collection.readonly)
    return { [path]: readOnlyPath(subject), [`${path}/{key}`]: readOnlyItemPath(subject), ...transfers };
  return { [path]: listPath(subject), [`${path}/{key}`]: itemPath(subject), ...transfers };
};

const transferPaths = (path: string, subject: Subject): PathsObject => ({
  ...(subject.collection.key.length > 0 &&
    !subject.collection.readonly && {
      [`${path}/import`]: {
        'x-svc-collection': subject.collection.name,
        'x-svc-action': 'create',
        post: importFile(subject),
      },
    }),
  [`${path}/export`]: {
    'x-svc-collection': subject.collection.name,
    'x-svc-action': 'read',
    post: exportFile(subject),
  },
});

const singletonPath = (subject: Subject): PathItemObject => ({
  'x-svc-collection': subject.collection.name,
  get: readOne(subject),
  patch: updateOne(subject),
});

const readOnlyPath = (subject: Subject): PathItemObject => ({
  'x-svc-collection': subject.collection.name,
  'x-svc-search': search(subject),
  get: list(subject),
});

const listPath = (subject: Subject): PathItemObject => ({
  ...readOnlyPath(subject),
  post: create(subject),
  patch: updateMany(subject),
  delete: deleteMany(subject),
});

const readOnlyItemPath = (subject: Subject): PathItemObject => ({
  'x-svc-collection': subject.collection.name,
  parameters: [keyParameter(subject.collection)],
  get: readOne(subject),
});

const itemPath = (subject: Subject): PathItemObject => ({
  ...readOnlyItemPath(subject),
  patch: updateOne(subject),
  delete: deleteOne(subject),
});

const keyParameter = (collection: Collection): ParameterObject => ({
  name: 'key',
  in: 'path',
  required: true,
  description:
    collection.key.length === 1
      ? `The value of ${code(collection.key[0] ?? '')}.`
      : `The values of ${collection.key.map(code).join(', ')}, joined by commas.`,
  schema: pathKeySchema(collection),
});
