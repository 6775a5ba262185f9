/** Settings of collections as databases keep them, and what a model has besides collections. */
import { describe, expect, it } from 'vitest';
import type { Meta, Table } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import { buildSystemTables } from '../../../generator/model/system-tables.js';
import type { ColumnSpec, Spec } from '../../../generator/spec/types.js';
import { catalog, counter, integer, smallSpec, specWith, string, table } from '../catalogs.js';

const artists = table('Artist', { ArtistId: counter(), Name: string() }, { comment: 'Who plays' });

const build = (tables: readonly Table[], meta: Partial<Meta> = {}, files: Record<string, string> = {}) =>
  buildModel({ catalog: catalog(tables, meta), spec: specWith(files) });

/** The artists with this row of `svc_collections`. */
const artistsWith = (row: Readonly<Record<string, unknown>>, options: Partial<Table> = {}) =>
  build([{ ...artists, ...options }], {
    collections: [{ id: 1, collection: 'Artist', ...row }],
  }).model.collections.find(({ name }) => name === 'Artist');

describe('a collection', () => {
  it.each([
    ['all', 'all'],
    ['activity', 'activity'],
    ['none', null],
    [null, null],
  ])('whose accountability is %j keeps its activity accordingly', (accountability, activity) => {
    expect(artistsWith({ accountability })?.activity).toBe(activity);
  });

  it.each<[unknown, boolean]>([
    [true, true],
    [1, true],
    [false, false],
    [0, false],
    [null, false],
  ])('whose flag is %j in the database has it: %s', (singleton, want) => {
    expect(artistsWith({ singleton })?.singleton).toBe(want);
  });

  it('has triggers only where its table has some', () => {
    expect([artistsWith({}), artistsWith({}, { triggers: true })].map((found) => found?.triggers)).toEqual([
      false,
      true,
    ]);
  });

  it('is not sorted by a column that it lacks', () => {
    expect(artistsWith({ sort_field: 'gone' })?.sortField).toBeNull();
  });

  it('has no note and no order where the database has an empty text', () => {
    expect(artistsWith({ note: '', sort_field: '' })).toMatchObject({ note: 'Who plays', sortField: null });
  });
});

/** Artists whose key is not their first column. */
const keyed = (key: ReturnType<typeof integer>) =>
  table('Artist', { Name: string(), ArtistId: key }, { primaryKey: ['ArtistId'] });

describe('the hash of a collection', () => {
  const blocks = table('blocks', { id: counter(), item: string(64), kind: string(64) });
  const relations = [
    {
      many_collection: 'blocks',
      many_field: 'item',
      one_collection_field: 'kind',
      one_allowed_collections: 'Artist',
    },
  ];
  const hashOf = (target: Table): string | undefined =>
    build([blocks, target], { relations }).model.collections.find(({ name }) => name === 'blocks')?.hash;

  it('changes with the key type of a target of a many-to-any relation, whichever column that is', () => {
    expect(hashOf(keyed(integer()))).not.toBe(hashOf(keyed(string(36))));
  });
});

describe('file and database', () => {
  it('do not differ where the database has no value, or the same list in another form', () => {
    const meta = {
      collections: [{ collection: 'Artist', note: null }],
      fields: [
        { collection: 'Artist', field: 'Name', special: ['conceal'] },
        { collection: 'Artist', field: 'ArtistId', special: ' conceal, ,hash,' },
      ],
    };
    const files = {
      'collections/Artist.yaml':
        'meta: { note: x }\nfields: { Name: { special: [conceal] }, ArtistId: { special: [conceal, hash] } }\n',
    };
    expect(build([artists], meta, files).warnings).toEqual([]);
  });
});

/** The names of queue models with these ids. */
const namesOf = (...ids: readonly string[]) =>
  buildModel({
    catalog: catalog([]),
    spec: { ...smallSpec, queueModels: ids.map((id) => ({ id })) as unknown as Spec['queueModels'] },
  }).model.queueModels.map(({ names }) => names);

describe('a queue model', () => {
  it('is named after its id, and numbered where an earlier one has the same name', () => {
    expect(namesOf('demo/image-small', 'a-b/c', 'a/b-c', 'a/b/c')).toEqual([
      { type: 'DemoImageSmall', file: 'demo.image-small' },
      { type: 'ABC', file: 'a-b.c' },
      { type: 'ABC_2', file: 'a.b-c' },
      { type: 'ABC_3', file: 'a.b.c' },
    ]);
  });
});

describe('rows of system tables', () => {
  it('have the types of their columns, and leave out what the database sets', () => {
    const columns: readonly (readonly [string, ColumnSpec])[] = [
      ['number', { type: 'integer', nullable: false, autoIncrement: true }],
      ['large', { type: 'bigInteger', nullable: true }],
      ['flag', { type: 'boolean', nullable: false, default: false }],
      ['id', { type: 'uuid', nullable: false }],
      ['body', { type: 'text', nullable: false }],
      ['data', { type: 'json', nullable: false }],
      ['words', { type: 'csv', nullable: false }],
      ['at', { type: 'timestamp', nullable: false }],
    ];
    const declared = { collection: 'svc_counts', columns: new Map(columns) };
    const spec = { ...smallSpec, collections: new Map([['svc_counts', declared]]) } as unknown as Spec;
    const systemTables = buildSystemTables(spec);
    expect(systemTables.flatMap((each) => each.columns)).toEqual([
      { name: 'number', type: 'number', nullable: false, optional: true },
      { name: 'large', type: 'number', nullable: true, optional: true },
      { name: 'flag', type: 'boolean', nullable: false, optional: true },
      { name: 'id', type: 'string', nullable: false, optional: false },
      { name: 'body', type: 'string', nullable: false, optional: false },
      { name: 'data', type: 'string', nullable: false, optional: false },
      { name: 'words', type: 'string', nullable: false, optional: false },
      { name: 'at', type: 'string', nullable: false, optional: false },
    ]);
  });

  it('do not depend on the order of the files', () => {
    const collections = new Map([...smallSpec.collections].toReversed());
    expect(buildSystemTables({ ...smallSpec, collections })).toEqual(buildSystemTables(smallSpec));
  });
});
