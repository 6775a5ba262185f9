/** A snapshot describes a schema completely: its own diff is empty, and applied to an empty database it makes the same. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import { usePlaces, type Place } from './places.js';

const dialects = dialectsOf(import.meta.url);

const scripts = {
  shop: (dialect: TestDialect) => `./shop.${dialect}.sql`,
  kinds: (dialect: TestDialect) => `../../generator/introspection/kinds.${dialect}.sql`,
  museum: (dialect: TestDialect) =>
    `../../data/recorded/schema.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`,
  chinook: (dialect: TestDialect) => `../../../demo/chinook.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`,
  tiny: (dialect: TestDialect) => `../../data/recorded/tiny.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`,
};

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

const create = usePlaces();

/** Removes what no snapshot can make again: views, and what the schema of the introspection has of them. */
const withoutViews = (snapshot: Awaited<ReturnType<Place['snapshot']>>) => {
  const views = new Set(
    snapshot.collections.filter(({ schema }) => schema?.is_view === true).map(({ collection }) => collection),
  );
  const isTable = ({ collection }: { readonly collection: string }): boolean => !views.has(collection);
  return {
    ...snapshot,
    collections: snapshot.collections.filter(isTable),
    fields: snapshot.fields.filter(isTable),
    relations: snapshot.relations.filter(isTable),
  };
};

describe.each(dialects)('on %s', (dialect) => {
  for (const [name, script] of Object.entries(scripts)) {
    it(`the snapshot of ${name} has no difference to itself`, async () => {
      const place = await create(dialect, read(script(dialect)));
      expect(await place.diff(await place.snapshot())).toBeNull();
    });

    // some types and defaults are outside of what a diff may ask for
    if (name === 'kinds') continue;

    it(`a snapshot of ${name} reproduces it in an empty database`, async () => {
      const [source, target] = [await create(dialect, read(script(dialect))), await create(dialect)];
      const snapshot = withoutViews(await source.snapshot());
      await target.become(snapshot);
      expect(await target.snapshot()).toEqual(snapshot);
      expect(await target.diff(snapshot)).toBeNull();
    });
  }
});
