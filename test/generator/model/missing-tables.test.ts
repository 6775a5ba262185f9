/** Meta of tables that a database lacks, and filters in meta that name its columns. */
import { describe, expect, it } from 'vitest';
import type { Meta } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import { catalog, counter, specWith, string, table } from '../catalogs.js';
import { faultsOf } from './relations.js';

const artists = table('Artist', { ArtistId: counter(), Name: string() });

const build = (meta: Partial<Meta>, files: Record<string, string> = {}) =>
  buildModel({ catalog: catalog([artists], meta), spec: specWith(files) });

describe('a missing table', () => {
  it('is reported once if only its fields or its relations are described', () => {
    const { warnings } = build({
      fields: [
        { collection: 'gone', field: 'a' },
        { collection: 'gone', field: 'b' },
      ],
      relations: [{ many_collection: 'lost', many_field: 'x' }],
    });
    expect(warnings).toEqual([
      'svc_relations, lost.x: there is no table "lost", or it is excluded; name a table of this database',
      'svc_fields, gone.a: there is no table "gone", or it is excluded; name a table of this database',
    ]);
  });

  it('is reported where its file names it', () => {
    const file = 'meta: { hidden: true }\ncollection: Artists\n';
    expect(faultsOf(() => build({}, { 'collections/a.yaml': file }))).toEqual([
      'spec/collections/a.yaml:2:1: there is no table "Artists", or it is excluded; did you mean "Artist"?',
    ]);
  });

  it('that is a folder is not checked further', () => {
    expect(build({ collections: [{ collection: 'a folder', sort_field: 'x' }] }).warnings).toEqual([]);
  });
});

const validating = (validation: unknown) =>
  build({ fields: [{ collection: 'Artist', field: 'Name', validation }] }).warnings;

describe('a validation of the database', () => {
  it('names columns at its top and within _and and _or', () => {
    expect(validating({ _or: [{ Nam: {} }, null, { _and: [{ Nmae: {} }, { Name: {} }] }] })).toEqual([
      'svc_fields, Artist.Name: "Artist" has no column "Nam" to validate; did you mean "Name"?',
      'svc_fields, Artist.Name: "Artist" has no column "Nmae" to validate; did you mean "Name"?',
    ]);
    expect(validating({ 'length(Nam)': { _gt: 1 } })).toEqual([]);
  });

  it('whose expression is not supported is reported', () => {
    expect(validating({ Name: { _regex: '(?=a)' } })).toEqual([
      expect.stringMatching(
        /^svc_fields, Artist\.Name: .* is not a supported regular expression: .*; rewrite the expression$/,
      ),
    ]);
  });
});
