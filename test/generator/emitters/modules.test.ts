import { join } from 'node:path';
import knex from 'knex';
import type { ModelClass, Model } from 'objection';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../generator/introspection/catalog.js';
import { createRegistry, type CollectionDeclaration } from '../../../contract/collection.js';
import type { Route } from '../../../contract/routes.js';
import { cases, readTree } from './cases.js';

interface ServerModule {
  readonly collections: readonly CollectionDeclaration[];
  readonly routes: readonly Route[];
}

const load = async (folder: string): Promise<ServerModule> =>
  (await import(join(folder, 'server/index.ts'))) as ServerModule;

const classOf = async (name: string, collection: string): Promise<ModelClass<Model>> => {
  const found = cases.find((candidate) => candidate.name === name);
  const { collections } = await load(found?.expected ?? '');
  return collections.find((candidate) => candidate.name === collection)?.model as ModelClass<Model>;
};

describe.each(cases)('the modules of $name', ({ expected }) => {
  it('declare every table with every column and its key, in the order of the database', async () => {
    const { collections } = await load(expected);
    const { tables } = JSON.parse(readTree(expected).get('catalog.json') ?? '') as Catalog;
    const declared = collections.map(({ name, key, fields }) => ({
      name,
      key,
      columns: Object.keys(fields),
    }));
    expect(declared).toEqual(
      tables.map(({ name, primaryKey, columns }) => ({
        name,
        key: primaryKey ?? [],
        columns: columns.map((column) => column.name),
      })),
    );
  });

  it('link to a registry and map every relation to its target', async () => {
    const { collections } = await load(expected);
    const registry = createRegistry(collections);
    for (const { name, relations = {} } of collections) {
      expect([...(registry.collections.get(name)?.relations.keys() ?? [])]).toEqual(Object.keys(relations));
    }
  });

  it('are valid Objection models in any load order', async () => {
    const { collections } = await load(expected);
    for (const { name, model } of collections) {
      const { getTableName, getRelations } = model as ModelClass<Model> & { getTableName(): string };
      expect(getTableName.call(model)).toBe(name);
      for (const relation of Object.values(getRelations.call(model as ModelClass<Model>))) {
        expect(collections.map((other) => other.model)).toContain(relation.relatedModelClass);
      }
    }
  });

  it('list their routes and the system routes', async () => {
    const { routes } = await load(expected);
    const ids = routes.map(({ operation }) => operation);
    expect(ids).toContain('serverPing');
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('Objection', () => {
  const database = knex({ client: 'mysql2' });
  const joinOf = async (name: string, collection: string, relation: string): Promise<string> => {
    const model = await classOf(name, collection);
    return model.query(database).joinRelated(relation).toKnexQuery().toString();
  };

  it('joins over all columns of a composite key', async () => {
    expect(await joinOf('composite-keys', 'meter', 'flat')).toBe(
      'select `meter`.* from `meter` inner join `flat` on `flat`.`street` = `meter`.`street` ' +
        'and `flat`.`number` = `meter`.`house_number` and `flat`.`floor` = `meter`.`floor`',
    );
  });

  it('joins a table with itself', async () => {
    expect(await joinOf('self-and-double', 'pilot', 'chief')).toBe(
      'select `pilot`.* from `pilot` inner join `pilot` as `chief` on `chief`.`id` = `pilot`.`chief_id`',
    );
  });

  it('quotes reserved words and spaces', async () => {
    expect(await joinOf('names', 'order', 'orderLineByOrder')).toBe(
      'select `order`.* from `order` inner join `Order Line` as `orderLineByOrder` ' +
        'on `orderLineByOrder`.`Order` = `order`.`select`',
    );
  });
});
