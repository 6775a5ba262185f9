/** Handlers of `spec/operations/collections.yaml`: one change at a time, by the same way as an apply. */
import type { Operations } from '../../generated/server/operations.js';
import { forbidden } from '../../contract/errors.js';
import { visibilityOf } from '../access/visibility.js';
import { lazy } from '../concurrency/lazy.js';
import type { Snapshot } from '../schema/snapshot/types.js';
import type { LiveSchema } from '../schema/snapshot/write.js';
import { loadWorkflows } from './apply-workflows.js';
import type { OperationContext } from './context.js';
import { serveSchema } from './serve-schema.js';
import type { OperationServices } from './services.js';

type Edit = (snapshot: Snapshot, live: LiveSchema) => Snapshot;

const loadSchema = lazy(async () => ({
  ...(await import('../schema/service.js')),
  ...(await import('../schema/entries.js')),
  ...(await import('../schema/relation-entries.js')),
  ...(await import('../schema/visible-entries.js')),
}));

interface EntryKey {
  readonly collection: string;
  readonly field?: string;
}

type Entries = ReturnType<Awaited<ReturnType<typeof loadSchema>>['visibleEntries']>;

/** Reads what a caller may see, and changes the schema. */
const createSchemaAccess = ({ database, config, reload, registry }: OperationServices) => {
  const services = { database, tables: config.tables };
  const read = async (context: OperationContext): Promise<Entries> => {
    const { takeSnapshot, visibleEntries } = await loadSchema();
    const principal = await context.principal();
    const { visibleNames } = visibilityOf(principal, registry);
    const entries = visibleEntries(await takeSnapshot(services), (name) =>
      principal.policies.admin ? '*' : visibleNames(name, 'read'),
    );
    if (entries.collections.length === 0 && !principal.policies.admin)
      throw forbidden('you may not read any collection');
    return entries;
  };
  const change = async (context: OperationContext, edit: Edit, acceptLoss = false): Promise<void> => {
    const { changeSchema } = await loadSchema();
    const { user } = await context.principal();
    const changed = await changeSchema(edit, {
      ...services,
      acceptLoss,
      user: user?.id ?? null,
      client: context.client,
      wait: config.schemaApplyWait,
      serve: reload,
      workflows: await loadWorkflows(config),
    });
    if (changed) await serveSchema(reload, 'the change is stored, but the schema cannot be served');
  };
  /** Reads one entry. @throws FORBIDDEN where there is none that the caller may see */
  const find = async (context: OperationContext, kind: keyof Entries, ...key: [string, string?]) => {
    const { findEntry } = await loadSchema();
    const entries: readonly EntryKey[] = (await read(context))[kind];
    return entryOf(findEntry(entries, ...key));
  };
  /** Reads the entries of one collection. @throws FORBIDDEN for one that the caller may not see */
  const findOf = async (context: OperationContext, kind: 'fields' | 'relations', collection: string) => {
    const { findEntry } = await loadSchema();
    const entries = await read(context);
    findEntry(entries.collections, collection);
    return entryOf(entries[kind].filter((entry) => entry.collection === collection));
  };
  return { read, find, findOf, change };
};

type SchemaAccess = ReturnType<typeof createSchemaAccess>;

/** Entries as the response declares them; their meta has more keys than that. */
const entryOf = (entry: object): { data: never } => ({ data: entry as never });

/** Creates the handlers of collections, fields and relations, which only administrators reach. */
export const createCollectionOperations = (services: OperationServices) => {
  const access = createSchemaAccess(services);
  return { ...collectionOperations(access), ...fieldOperations(access), ...relationOperations(access) };
};

type CollectionNames =
  | 'collectionsList'
  | 'collectionsCreate'
  | 'collectionsRead'
  | 'collectionsUpdate'
  | 'collectionsDelete';

const collectionOperations = ({ read, find, change }: SchemaAccess): Pick<Operations, CollectionNames> => ({
  collectionsList: async (_input, context) => entryOf((await read(context)).collections),
  collectionsRead: ({ collection }, context) => find(context, 'collections', collection),
  async collectionsCreate({ body }, context) {
    const { addCollection } = await loadSchema();
    await change(context, (snapshot, { printer }) =>
      addCollection(snapshot, body as never, printer.fieldTypes),
    );
    return find(context, 'collections', body.collection);
  },
  async collectionsUpdate({ collection, body }, context) {
    const { changeCollection } = await loadSchema();
    await change(context, (snapshot) => changeCollection(snapshot, collection, body));
    return find(context, 'collections', collection);
  },
  async collectionsDelete({ collection }, context) {
    const { removeCollection } = await loadSchema();
    await change(context, (snapshot) => removeCollection(snapshot, collection));
  },
});

type FieldNames =
  | 'fieldsList'
  | 'fieldsOfCollection'
  | 'fieldsCreate'
  | 'fieldsRead'
  | 'fieldsUpdate'
  | 'fieldsDelete';

const fieldOperations = ({ read, find, findOf, change }: SchemaAccess): Pick<Operations, FieldNames> => ({
  fieldsList: async (_input, context) => entryOf((await read(context)).fields),
  fieldsOfCollection: ({ collection }, context) => findOf(context, 'fields', collection),
  fieldsRead: ({ collection, field }, context) => find(context, 'fields', collection, field),
  async fieldsCreate({ collection, body }, context) {
    const { addField } = await loadSchema();
    await change(context, (snapshot, { printer }) =>
      addField(snapshot, collection, body, printer.fieldTypes),
    );
    return find(context, 'fields', collection, body.field);
  },
  async fieldsUpdate({ collection, field, body }, context) {
    const { changeField } = await loadSchema();
    const { accept_loss: acceptLoss = false, ...patch } = body;
    const edit: Edit = (snapshot, { printer: { fieldTypes: types } }) =>
      changeField(snapshot, { collection, field }, { patch, types });
    await change(context, edit, acceptLoss);
    return find(context, 'fields', collection, field);
  },
  async fieldsDelete({ collection, field }, context) {
    const { removeField } = await loadSchema();
    await change(context, (snapshot) => removeField(snapshot, collection, field));
  },
});

type RelationNames =
  | 'relationsList'
  | 'relationsOfCollection'
  | 'relationsCreate'
  | 'relationsRead'
  | 'relationsUpdate'
  | 'relationsDelete';

const relationOperations = ({
  read,
  find,
  findOf,
  change,
}: SchemaAccess): Pick<Operations, RelationNames> => ({
  relationsList: async (_input, context) => entryOf((await read(context)).relations),
  relationsOfCollection: ({ collection }, context) => findOf(context, 'relations', collection),
  relationsRead: ({ collection, field }, context) => find(context, 'relations', collection, field),
  async relationsCreate({ body }, context) {
    const { addRelation } = await loadSchema();
    await change(context, (snapshot, { shapes }) => addRelation(snapshot, body, shapes));
    return find(context, 'relations', body.collection, body.field);
  },
  async relationsUpdate({ collection, field, body }, context) {
    const { changeRelation } = await loadSchema();
    await change(context, (snapshot) => changeRelation(snapshot, { collection, field }, body));
    return find(context, 'relations', collection, field);
  },
  async relationsDelete({ collection, field }, context) {
    const { removeRelation } = await loadSchema();
    await change(context, (snapshot) => removeRelation(snapshot, collection, field));
  },
});
