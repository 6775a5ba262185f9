/** Models of a database that lacks parts of the spec, as after a column was dropped. */
import { describe, expect, it } from 'vitest';
import { buildModel } from '../../../generator/model/build.js';
import { ModelError } from '../../../generator/model/findings.js';
import { catalog, counter, specWith, string, table } from '../catalogs.js';

const artists = table('Artist', { ArtistId: counter(), Name: string() });

const missing = [
  'meta: { sort_field: Nam }',
  'fields: { Born: { note: x } }',
  'names: { fields: { Born: born } }',
].join('\n');

const build = (file: string, { ignoresOutdated = false, artist = artists } = {}) =>
  buildModel({
    catalog: catalog([artist]),
    spec: specWith({ 'collections/Artist.yaml': file }),
    ignoresOutdated,
  });

const outdated = [
  'spec/collections/Artist.yaml:1:9: "Artist" has no column "Nam" that could be the sort_field; did you mean "Name"?',
  'spec/collections/Artist.yaml:2:11: "Artist" has no column or relation "Born"; name one that exists',
  'spec/collections/Artist.yaml:3:20: "Artist" has no field or relation "Born"; name one of its columns or relations',
];

const faultsOf = (...parameters: Parameters<typeof build>): readonly string[] => {
  try {
    build(...parameters);
  } catch (error) {
    if (error instanceof ModelError) return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('what the database lacks', () => {
  it('ends the build', () => {
    expect(faultsOf(missing)).toEqual(outdated);
  });

  it('is left out on request, and reported', () => {
    const built = build(missing, { ignoresOutdated: true });
    expect(built.outdated.toSorted()).toEqual(outdated);
    expect(built.model.collections.find(({ name }) => name === 'Artist')?.sortField).toBeNull();
    expect(built.warnings).toEqual([]);
  });
});

describe('what is wrong apart from that', () => {
  const columns = { ArtistId: counter(), Name: string(), 'a b': string(), a_b: string() };
  const collision = /^table Artist: "a b" and "a_b" would both be "a_b" in GraphQL/;

  it('ends the build even if what the database lacks is left out, and is named alone', () => {
    const odd = table('Artist', columns);
    expect(faultsOf(missing, { ignoresOutdated: true, artist: odd })).toEqual([
      expect.stringMatching(collision),
    ]);
    expect(faultsOf(missing, { artist: odd })).toEqual([...outdated, expect.stringMatching(collision)]);
  });
});
