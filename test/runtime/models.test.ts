import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { Album } from '../../generated/server/album.js';
import { collections } from '../../generated/server/index.js';
import { Track } from '../../generated/server/track.js';
import type { CollectionDeclaration } from '../../contract/collection.js';
import { bindModels, type BoundModels } from '../../runtime/items/models.js';
import { createTestDatabase, dialects, type TestDatabase } from '../databases.js';

const chinook = {
  sqlite: 'demo/chinook.sqlite.sql',
  mariadb: 'demo/chinook.mysql.sql',
  mysql: 'demo/chinook.mysql.sql',
  postgres: 'demo/chinook.postgres.sql',
};

/** On PostgreSQL the shop has names such as `media_type`; the models have those of the others, `MediaType`. */
const rename = `do $$ declare it record; begin
  for it in select table_name, column_name, replace(initcap(column_name), '_', '') as renamed
    from information_schema.columns where table_schema = 'public'
  loop execute format('alter table %I rename column %I to %I', it.table_name, it.column_name, it.renamed); end loop;
  for it in select table_name, replace(initcap(table_name), '_', '') as renamed
    from information_schema.tables where table_schema = 'public'
  loop execute format('alter table %I rename to %I', it.table_name, it.renamed); end loop;
end $$`;
const shop = collections.filter(({ system }) => system !== true);

describe.each(dialects)('models bound to %s', (dialect) => {
  let place: TestDatabase;
  let models: BoundModels;

  beforeAll(async () => {
    place = await createTestDatabase(dialect, {
      file: chinook[dialect],
      ...(dialect === 'postgres' && { sql: rename }),
    });
    models = await bindModels(shop, { url: place.url });
  });

  afterAll(async () => {
    await models.close();
    await place.drop();
  });

  it('fetch typed graphs along relations', async () => {
    const album = await Album.query()
      .findById(1)
      .withGraphFetched('[artist, Track(byName).mediaType]')
      .modifiers({
        byName: (query) => query.orderBy('Name').limit(2),
      });
    expectTypeOf(album?.artist?.Name).toEqualTypeOf<string | null | undefined>();
    expect(album?.toJSON()).toEqual({
      AlbumId: 1,
      Title: 'For Those About To Rock We Salute You',
      ArtistId: 1,
      artist: { ArtistId: 1, Name: 'AC/DC' },
      Track: [
        expect.objectContaining({
          Name: 'Breaking The Rules',
          UnitPrice: '0.99',
          mediaType: { MediaTypeId: 1, Name: 'MPEG audio file' },
        }),
        expect.objectContaining({ Name: 'C.O.D.', UnitPrice: '0.99' }),
      ],
    });
  });

  it('read and write values in the form of their types', async () => {
    const made = await Track.query().insert({
      Name: 'Étude — “A”',
      AlbumId: 1,
      MediaTypeId: 1,
      Milliseconds: 1000,
      UnitPrice: '12.30',
    });
    expectTypeOf(made.TrackId).toEqualTypeOf<number>();
    expect(made.TrackId).toBeTypeOf('number');
    expect(await Track.query().findById(made.TrackId)).toMatchObject({
      Name: 'Étude — “A”',
      Bytes: null,
      UnitPrice: '12.30',
    });
    expect(await made.$query().patch({ UnitPrice: '0.50' })).toBe(1);
    expect(await Track.query().where('UnitPrice', '0.50').resultSize()).toBe(1);
    expect(await Track.query().deleteById(made.TrackId)).toBe(1);
  });

  it('reject an invalid value with the name of its field', async () => {
    await expect(Track.query().findById(1).patch({ UnitPrice: 'much' })).rejects.toThrow(
      '"UnitPrice" must be a decimal number',
    );
  });

  it('take part in a transaction', async () => {
    const inside = Album.transaction(async (transaction) => {
      await Album.query(transaction).findById(1).patch({ Title: 'Other' });
      expect(await Album.query(transaction).findById(1)).toMatchObject({ Title: 'Other' });
      throw new Error('changed my mind');
    });
    await expect(inside).rejects.toThrow('changed my mind');
    expect(await Album.query().findById(1)).not.toMatchObject({ Title: 'Other' });
  });

  it('can be bound again and convert once', async () => {
    const again = await bindModels(shop, { url: place.url });
    await models.close();
    models = again;
    expect(await Track.query().findById(1)).toMatchObject({ UnitPrice: '0.99', Milliseconds: 343719 });
  });
});

it('are distinguished from collections of a build', async () => {
  const [{ model: _, ...bare }] = shop as [CollectionDeclaration];
  await expect(bindModels([bare], { url: 'sqlite::memory:' })).rejects.toThrow('"Album" has no model');
});

it('are exported without loading Knex or Objection', async () => {
  const surface = fileURLToPath(new URL('../../runtime/index.ts', import.meta.url));
  const script = `import { createRequire } from 'node:module';
    await import('${surface}');
    const loaded = Object.keys(createRequire('${surface}').cache);
    console.log(loaded.filter((path) => /node_modules\\/(knex|objection|mysql2|libsql|pg)\\//.test(path)).length);`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('0\n');
});
