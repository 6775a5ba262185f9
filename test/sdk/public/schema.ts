/** Steps of the same program that change the schema, then use what they made. */
import * as sdk from '@directus/sdk';
import { expect } from 'vitest';
import { asAdmin, type Step, type Untyped } from './surroundings.js';

const {
  createCollection,
  createField,
  createItems,
  createRelation,
  deleteCollection,
  deleteField,
  deleteRelation,
  readCollection,
  readCollections,
  readField,
  readFields,
  readFieldsByCollection,
  readItems,
  readRelation,
  readRelationByCollection,
  readRelations,
  updateCollection,
  updateField,
  updateRelation,
  utilitySort,
  utilsExport,
  utilsImport,
  withSearch,
}: Untyped = sdk;

const id = { field: 'id', type: 'integer', schema: { is_primary_key: true, has_auto_increment: true } };

export const schemaSteps: Readonly<Record<string, Step>> = {
  async 'collections: create, read, update'(here) {
    const client = asAdmin(here);
    const fields = [id, { field: 'name', type: 'string' }, { field: 'place', type: 'integer' }];
    const made = { collection: 'steps', meta: { sort_field: 'place' }, schema: {}, fields };
    expect(await client.request(createCollection(made))).toMatchObject({ collection: 'steps' });
    await client.request(updateCollection('steps', { meta: { note: 'Made by a step' } }));
    expect(await client.request(readCollection('steps'))).toMatchObject({ meta: { note: 'Made by a step' } });
    expect(await client.request(readCollections())).toContainEqual(
      expect.objectContaining({ collection: 'steps' }),
    );
  },
  async 'fields: create, read, update'(here) {
    const client = asAdmin(here);
    await client.request(createField('steps', { field: 'artist', type: 'integer' }));
    await client.request(updateField('steps', 'artist', { meta: { note: 'Who makes it' } }));
    expect(await client.request(readField('steps', 'artist'))).toMatchObject({
      meta: { note: 'Who makes it' },
    });
    const fields: Untyped = await client.request(readFieldsByCollection('steps'));
    expect(fields.map(({ field }: Untyped) => field)).toEqual(['id', 'name', 'place', 'artist']);
    expect(await client.request(readFields())).toEqual(expect.arrayContaining(fields));
  },
  async 'relations: create, read, update'(here) {
    const client = asAdmin(here);
    const relation = { collection: 'steps', field: 'artist', related_collection: 'artists' };
    await client.request(createRelation(relation));
    await client.request(updateRelation('steps', 'artist', { meta: { one_field: 'steps' } }));
    const read = await client.request(readRelation('steps', 'artist'));
    expect(read).toMatchObject({ ...relation, meta: { one_field: 'steps' } });
    expect(await client.request(readRelationByCollection('steps'))).toEqual([read]);
    expect(await client.request(readRelations())).toContainEqual(read);
  },
  async 'items: in a new collection, by a new relation'(here) {
    const client = asAdmin(here);
    const [artist]: Untyped = await client.request(readItems('artists', { fields: ['id'], limit: 1 }));
    const rows = ['a', 'b', 'c'].map((name, index) => ({ name, place: index + 1, artist: artist.id }));
    await client.request(createItems('steps', rows));
    const filter = { id: { _eq: artist.id } };
    expect(await client.request(readItems('artists', { fields: [{ steps: ['name'] }], filter }))).toEqual([
      { steps: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] },
    ]);
  },
  async 'utils: sort, and a query in the body'(here) {
    const client = asAdmin(here);
    await client.request(utilitySort('steps', 3, 1));
    const list = withSearch(readItems('steps', { fields: ['name'] }));
    expect(await client.request(list)).toEqual([{ name: 'c' }, { name: 'a' }, { name: 'b' }]);
  },
  async 'utils: import'(here) {
    const client = asAdmin(here);
    const form = new FormData();
    form.append('file', new Blob(['name,place\nd,4\n'], { type: 'text/csv' }), 'steps.csv');
    await client.request(utilsImport('steps', form));
    const filter = { place: { _eq: 4 } };
    expect(await client.request(readItems('steps', { fields: ['name'], filter }))).toEqual([{ name: 'd' }]);
  },
  async 'utils: export'(here) {
    await asAdmin(here).request(utilsExport('steps', 'csv', { fields: ['name'] }, { title: 'Steps' }));
  },
  async 'clean up: relation, field, collection'(here) {
    const client = asAdmin(here);
    await client.request(deleteRelation('steps', 'artist'));
    await client.request(deleteField('steps', 'artist'));
    await client.request(deleteCollection('steps'));
    const left: Untyped = await client.request(readCollections());
    expect(left.map(({ collection }: Untyped) => collection)).not.toContain('steps');
  },
};
