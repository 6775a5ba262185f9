import { buildSchema, type GraphQLObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { emitGraphql } from '../../../generator/emitters/graphql/index.js';
import { counter, integer, key, string, table } from '../catalogs.js';
import { albums, artists, build, faultsOf, relationsOf, shown } from './relations.js';

describe('a foreign key', () => {
  it('gives many-to-one under the name of its column, and the list under the name of its table', () => {
    const built = build([artists, albums]);
    expect(shown(built, 'Album')).toEqual(['ArtistId: one Artist (ArtistId = ArtistId)']);
    expect(shown(built, 'Artist')).toEqual(['Album: many Album (ArtistId = ArtistId)']);
    expect(relationsOf(built, 'Album')[0]).toMatchObject({
      property: 'artist',
      meta: false,
      constrained: true,
      graphql: 'ArtistId',
    });
    expect(relationsOf(built, 'Artist')[0]).toMatchObject({
      property: 'Album',
      meta: false,
      junctionField: null,
      sortField: null,
      deselect: 'nullify',
      written: true,
    });
  });

  it('to its own table adds both sides', () => {
    const employees = table(
      'Employee',
      { EmployeeId: counter(), ReportsTo: integer({ nullable: true }) },
      { foreignKeys: [key(['ReportsTo'], 'Employee', ['EmployeeId'])] },
    );
    expect(shown(build([employees]), 'Employee')).toEqual([
      'Employee: many Employee (EmployeeId = ReportsTo)',
      'ReportsTo: one Employee (ReportsTo = EmployeeId)',
    ]);
  });

  it('to an excluded table adds nothing', () => {
    expect(shown(build([albums]), 'Album')).toEqual([]);
  });

  it.each([
    [
      ['ArtistId', 'gone'],
      ['ArtistId', 'Name'],
    ],
    [
      ['AlbumId', 'ArtistId'],
      ['ArtistId', 'Gone'],
    ],
  ])('of %j to %j, one of which is not served, adds nothing', (columns, references) => {
    const broken = { ...albums, foreignKeys: [key(columns, 'Artist', references)] };
    expect(shown(build([artists, broken]), 'Album')).toEqual([]);
  });

  it('between system and other tables works like any other', () => {
    const notes = table(
      'notes',
      { id: counter(), author: string(36) },
      { foreignKeys: [key(['author'], 'svc_users')] },
    );
    const built = build([notes]);
    expect(shown(built, 'notes')).toEqual(['author: one svc_users (author = id)']);
    expect(shown(built, 'svc_users')).toContain('notes: many notes (id = author)');
  });

  it('adds a list that is written with its owner if its items have keys, and not only svc writes them', () => {
    const byAuthor = { foreignKeys: [key(['author'], 'svc_users')] };
    const notes = table('notes', { id: counter(), author: string(36) }, byAuthor);
    const visits = table('visits', { author: string(36) }, { ...byAuthor, primaryKey: null });
    const lists = relationsOf(build([notes, visits]), 'svc_users').filter(
      (relation) => relation.kind === 'oneToMany',
    );
    const written = new Map(lists.map(({ target, written }) => [target, written]));
    for (const target of ['notes', 'svc_access']) expect(written.get(target)).toBe(true);
    for (const target of ['visits', 'svc_sessions']) expect(written.get(target)).toBe(false);
  });

  it('that its target does not satisfy is reported', () => {
    const broken = table(
      'broken',
      { id: counter(), x: integer(), y: integer() },
      {
        broken: [
          { columns: ['x'], table: 'nowhere', references: ['id'], fault: 'missing' },
          { columns: ['x'], table: 'broken', references: [], fault: 'keyless' },
          { columns: ['x', 'y'], table: 'Artist', references: ['Name', 'ArtistId'], fault: 'ambiguous' },
        ],
      },
    );
    expect(build([artists, broken]).warnings).toEqual([
      'broken.x: it refers to nowhere.id, which does not exist; the database refuses writes to broken',
      'broken.x: it refers to broken, which has no such primary key; the database refuses writes to broken',
      'broken.x, y: it refers to Artist.Name, ArtistId, which is not unique; the database refuses writes to broken and Artist',
    ]);
  });

  it('that is defined twice counts once', () => {
    const twice = {
      ...albums,
      foreignKeys: [...albums.foreignKeys, { ...key(['ArtistId'], 'Artist', ['ArtistId']), name: 'again' }],
    };
    expect(shown(build([artists, twice]), 'Artist')).toEqual(['Album: many Album (ArtistId = ArtistId)']);
  });
});

const side = (field: string, one: string, other: string) => ({
  many_collection: 'works_themes',
  many_field: field,
  one_field: one,
  junction_field: other,
});

describe('meta', () => {
  const works = table(
    'works',
    { id: counter(), artist: integer(), owner: string(36), position: integer() },
    {
      foreignKeys: [key(['artist'], 'Artist', ['ArtistId'])],
    },
  );
  const link = { many_collection: 'works', many_field: 'artist' };

  it('names the list, which becomes part of all fields, and its options', () => {
    const built = build(
      [artists, works],
      [{ ...link, one_field: 'pieces', sort_field: 'position', one_deselect_action: 'delete' }],
    );
    expect(relationsOf(built, 'Artist')).toEqual([
      expect.objectContaining({ name: 'pieces', meta: true, sortField: 'position', deselect: 'delete' }),
    ]);
    expect(relationsOf(built, 'works')[0]).toMatchObject({
      name: 'artist',
      property: 'artistRow',
      meta: true,
    });
  });

  it('relates columns without a foreign key', () => {
    const built = build(
      [works],
      [{ many_collection: 'works', many_field: 'owner', one_collection: 'svc_users' }],
    );
    expect(shown(built, 'works')).toEqual(['owner: one svc_users (owner = id)']);
    expect(relationsOf(built, 'works')[0]).toMatchObject({ meta: true, constrained: false });
    expect(relationsOf(built, 'svc_users').find(({ name }) => name === 'works')).toMatchObject({
      meta: false,
    });
  });

  it('may name the target of a foreign key', () => {
    expect(build([artists, works], [{ ...link, one_collection: 'Artist' }]).warnings).toEqual([]);
  });

  it('relates no column to a table without a key of one column', () => {
    const pairs = table('pairs', { a: integer(), b: integer() }, { primaryKey: ['a', 'b'] });
    const totals = table('totals', { sum: integer() }, { kind: 'view', primaryKey: null });
    for (const target of ['pairs', 'totals']) {
      const built = build(
        [works, pairs, totals],
        [{ many_collection: 'works', many_field: 'position', one_collection: target }],
      );
      expect(shown(built, 'works')).toEqual([]);
      expect(built.warnings).toEqual([
        `svc_relations, works.position: "${target}" has no primary key of one column; use a foreign key, or drop this relation`,
      ]);
    }
  });

  it('names no relation as its own junction field', () => {
    const built = build([artists, works], [{ ...link, junction_field: 'artist' }]);
    expect(relationsOf(built, 'Artist')[0]).toMatchObject({ name: 'works', junctionField: null });
    expect(built.warnings).toEqual([
      'svc_relations, works.artist: "works" has no relation "artist" that could be the junction_field; name a relation of "works"',
    ]);
  });

  it('declares many-to-many through a junction', () => {
    const themes = table('themes', { id: counter() });
    const junction = table(
      'works_themes',
      { id: counter(), work: integer(), theme: integer() },
      { foreignKeys: [key(['work'], 'works'), key(['theme'], 'themes')] },
    );
    const built = build(
      [artists, works, themes, junction],
      [side('work', 'themes', 'theme'), side('theme', 'works', 'work')],
    );
    expect(relationsOf(built, 'works').find(({ name }) => name === 'themes')).toMatchObject({
      kind: 'oneToMany',
      target: 'works_themes',
      junctionField: 'theme',
    });
    expect(relationsOf(built, 'themes')[0]).toMatchObject({ name: 'works', junctionField: 'work' });
  });

  it('declares many-to-any by a key and a collection field', () => {
    const blocks = table('blocks', {
      id: counter(),
      album: integer(),
      item: string(64),
      collection: string(64),
    });
    const built = build(
      [artists, albums, blocks],
      [
        {
          many_collection: 'blocks',
          many_field: 'album',
          one_collection: 'Album',
          one_field: 'blocks',
          junction_field: 'item',
        },
        {
          many_collection: 'blocks',
          many_field: 'item',
          one_collection_field: 'collection',
          one_allowed_collections: 'Artist, , Album,nowhere,',
          junction_field: 'album',
        },
      ],
    );
    expect(shown(built, 'blocks')).toEqual([
      'album: one Album (album = AlbumId)',
      'item: any of Artist Album',
    ]);
    expect(relationsOf(built, 'blocks')[1]).toMatchObject({
      meta: true,
      field: 'item',
      collectionField: 'collection',
      property: 'itemRow',
    });
    expect(relationsOf(built, 'Album').find(({ name }) => name === 'blocks')).toMatchObject({
      junctionField: 'item',
    });
    expect(built.warnings).toEqual([
      'svc_relations, blocks.item: "nowhere" is not a table; name a table of this database',
    ]);
  });

  it('is none where a many-to-any relation has no target at all', () => {
    const blocks = table('blocks', { id: counter(), item: string(64), collection: string(64) });
    const built = build(
      [artists, albums, blocks],
      [
        {
          many_collection: 'blocks',
          many_field: 'item',
          one_collection_field: 'collection',
          one_allowed_collections: 'nowhere',
        },
      ],
    );
    expect(relationsOf(built, 'blocks')).toEqual([]);
    const file = emitGraphql(built.model).find(({ path }) => path === 'graphql/items.graphql');
    const types = buildSchema(file?.content ?? '').getTypeMap();
    expect(Object.keys(types).filter((name) => /union/i.test(name))).toEqual([]);
    const { item } = (types.blocks as GraphQLObjectType).getFields();
    expect(String(item?.type)).toBe('String!');
  });

  it('leads to no table without a key of one column by a many-to-any relation', () => {
    const blocks = table('blocks', { id: counter(), item: string(64), kind: string(64) });
    const pairs = table('pairs', { a: integer(), b: integer() }, { primaryKey: ['a', 'b'] });
    const totals = table('totals', { sum: integer() }, { kind: 'view', primaryKey: null });
    const toAny = {
      many_collection: 'blocks',
      many_field: 'item',
      one_collection_field: 'kind',
      one_allowed_collections: 'pairs,Artist,totals',
    };
    const built = build([artists, blocks, pairs, totals], [toAny]);
    expect(shown(built, 'blocks')).toEqual(['item: any of Artist']);
    expect(built.warnings).toEqual(
      ['pairs', 'totals'].map(
        (name) =>
          `svc_relations, blocks.item: "${name}" has no primary key of one column; use a foreign key, or drop this relation`,
      ),
    );
  });

  it('is none where a many-to-any relation has no column for the collection', () => {
    const blocks = table('blocks', { id: counter(), item: string(64) });
    const toAny = {
      many_collection: 'blocks',
      many_field: 'item',
      one_collection_field: 'itm',
      one_allowed_collections: 'Artist',
    };
    const built = build([artists, blocks], [toAny]);
    expect(relationsOf(built, 'blocks')).toEqual([]);
    expect(built.warnings).toEqual([
      'svc_relations, blocks.item: "blocks" has no column "itm"; did you mean "item"?',
    ]);
  });

  it('of the database with a missing target is reported and ignored', () => {
    const built = build(
      [artists, works],
      [
        { ...link, sort_field: 'positoin', junction_field: 'other', one_collection: 'Album' },
        { many_collection: 'works', many_field: 'ownr', one_collection: 'svc_users' },
        { many_collection: 'works', many_field: 'position' },
        { many_collection: 'works', many_field: 'owner', one_collection: 'svc_user' },
      ],
    );
    expect(shown(built, 'works')).toEqual(['artist: one Artist (artist = ArtistId)']);
    expect(built.warnings).toMatchInlineSnapshot(`
      [
        "svc_relations, works.artist: works.artist points at "Artist" by its foreign key, not at "Album"; write Artist or nothing",
        "svc_relations, works.ownr: "works" has no column "ownr"; did you mean "owner"?",
        "svc_relations, works.position: the relation of "position" has no target, and its column has no foreign key to a collection; add one_collection, or one_collection_field and one_allowed_collections",
        "svc_relations, works.owner: "svc_user" is not a table; did you mean "svc_users"?",
        "svc_relations, works.artist: "works" has no relation "other" that could be the junction_field; name a relation of "works"",
        "svc_relations, works.artist: "works" has no column "positoin" that could be the sort_field; did you mean "position"?",
      ]
    `);
  });

  it('of a file with a missing target is reported with its position', () => {
    const file =
      'relations:\n  - { field: artist, sort_field: positoin }\n  - { field: owner, one_collection: svc_user }\n' +
      '  - { field: position }\n';
    expect(faultsOf(() => build([artists, works], [], { 'collections/works.yaml': file })))
      .toMatchInlineSnapshot(`
      [
        "spec/collections/works.yaml:2:22: "works" has no column "positoin" that could be the sort_field; did you mean "position"?",
        "spec/collections/works.yaml:3:21: "svc_user" is not a table; did you mean "svc_users"?",
        "spec/collections/works.yaml:4:5: the relation of "position" has no target, and its column has no foreign key to a collection; add one_collection, or one_collection_field and one_allowed_collections",
      ]
    `);
  });
});
