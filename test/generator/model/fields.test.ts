import { describe, expect, it } from 'vitest';
import type { Table } from '../../../generator/introspection/catalog.js';
import { buildModel } from '../../../generator/model/build.js';
import type { Field } from '../../../generator/model/types.js';
import { catalog, counter, integer, key, ofType, smallSpec, string, table } from '../catalogs.js';

type Row = Record<string, unknown>;

const build = (tables: readonly Table[], fields: readonly Row[] = [], relations: readonly Row[] = []) =>
  buildModel({ catalog: catalog(tables, { fields, relations }), spec: smallSpec });

const fieldOf = (built: ReturnType<typeof build>, collection: string, name: string): Field | undefined =>
  built.model.collections
    .find((candidate) => candidate.name === collection)
    ?.fields.find((field) => field.name === name);

describe('specials', () => {
  const text = ofType({ kind: 'text', length: null });
  it.each([
    ['cast-json', text, { type: 'json' }],
    ['cast-boolean', integer(), { type: 'boolean', bits: null }],
    ['cast-csv', string(200), { type: 'csv', length: 200 }],
    ['cast-timestamp', ofType({ kind: 'dateTime', fraction: 3 }), { type: 'timestamp', fraction: 3 }],
    ['uuid', string(36), { type: 'uuid', length: null, fill: 'uuid', hasDefault: true, required: false }],
    ['hash', string(), { type: 'string', hash: true, required: true }],
    ['conceal', string(), { type: 'string', conceal: true }],
    ['user-created', string(36), { type: 'string', fill: 'user-created', required: false }],
    ['date-created', ofType({ kind: 'timestamp', fraction: 0 }), { type: 'timestamp', fill: 'date-created' }],
    ['user-updated', string(36), { fill: 'user-updated' }],
    ['date-updated', ofType({ kind: 'timestamp', fraction: 0 }), { fill: 'date-updated' }],
    ['conceal,hash', string(), { hash: true, conceal: true, token: false, lowerCase: false, fill: null }],
    ['static-token', string(), { token: true, lowerCase: false }],
    ['lower-case', string(), { lowerCase: true, token: false }],
    ['conceal,user-created', string(36), { conceal: true, fill: 'user-created', required: false }],
  ])('%s takes effect', (special, column, want) => {
    const built = build(
      [table('t', { id: counter(), x: column })],
      [{ collection: 't', field: 'x', special }],
    );
    expect(fieldOf(built, 't', 'x')).toMatchObject(want);
    expect(built.warnings).toEqual([]);
  });

  it('that do not fit the column are reported and ignored', () => {
    const built = build(
      [table('t', { id: counter(), x: ofType({ kind: 'date' }) })],
      [{ collection: 't', field: 'x', special: 'cast-json' }],
    );
    expect(fieldOf(built, 't', 'x')?.type).toBe('date');
    expect(built.warnings).toEqual([
      'svc_fields, t.x: a column of type "date" cannot be "cast-json"; use another column or drop the special',
    ]);
  });
});

describe('uuids', () => {
  const galleries = table('galleries', { id: string(36), name: string() });
  const special = { collection: 'galleries', field: 'id', special: 'uuid' };

  it('are columns that refer to a uuid through any number of keys', () => {
    const details = table(
      'details',
      { gallery: string(36) },
      { foreignKeys: [key(['gallery'], 'galleries')] },
    );
    const notes = table(
      'notes',
      { id: counter(), detail: string(36) },
      { foreignKeys: [key(['detail'], 'details', ['gallery'])] },
    );
    const built = build([galleries, details, notes], [special]);
    expect(fieldOf(built, 'notes', 'detail')).toMatchObject({ type: 'uuid', length: null, fill: null });
    expect(fieldOf(built, 'galleries', 'name')?.type).toBe('string');
  });

  it('are columns that refer to a user, also without a foreign key', () => {
    const built = build(
      [table('works', { id: counter(), owner: string(36) })],
      [],
      [{ many_collection: 'works', many_field: 'owner', one_collection: 'svc_users' }],
    );
    expect(fieldOf(built, 'works', 'owner')?.type).toBe('uuid');
  });

  it('are not found in circular references', () => {
    const a = table('a', { id: string(36) }, { foreignKeys: [key(['id'], 'b')] });
    const b = table('b', { id: string(36) }, { foreignKeys: [key(['id'], 'a')] });
    expect(fieldOf(build([a, b]), 'a', 'id')?.type).toBe('string');
  });

  it('are not columns that only resemble one', () => {
    expect(fieldOf(build([galleries]), 'galleries', 'id')).toMatchObject({ type: 'string', length: 36 });
  });
});

describe('a column without a declared type', () => {
  const untyped = ofType({ kind: 'unknown' }, { dbType: '' });
  const artists = table('artists', { id: counter(), born: ofType({ kind: 'date' }) });
  const referring = (name: string, target: string, references?: readonly string[]): Table =>
    table(name, { x: untyped }, { foreignKeys: [key(['x'], target, references)] });

  it('has the type of its target, through any number of keys', () => {
    const built = build([artists, referring('a', 'artists'), referring('b', 'a', ['x'])]);
    for (const name of ['a', 'b'])
      expect(fieldOf(built, name, 'x')).toMatchObject({ type: 'integer', bits: 32, dbType: '' });
    expect(fieldOf(build([artists, referring('a', 'artists', ['born'])]), 'a', 'x')?.type).toBe('date');
    expect(built.warnings).toEqual([]);
  });

  it('is not one whose type svc does not know', () => {
    const odd = ofType({ kind: 'unknown' }, { dbType: 'box' });
    const placed = table('placed', { x: odd }, { foreignKeys: [key(['x'], 'artists')] });
    expect(fieldOf(build([artists, placed]), 'placed', 'x')?.type).toBe('unknown');
  });

  it('is a uuid if it refers to a user', () => {
    expect(fieldOf(build([referring('a', 'svc_users')]), 'a', 'x')?.type).toBe('uuid');
  });

  it('is unknown in circular references', () => {
    const built = build([referring('a', 'b', ['x']), referring('b', 'a', ['x'])]);
    expect([fieldOf(built, 'a', 'x')?.type, fieldOf(built, 'b', 'x')?.type]).toEqual(['unknown', 'unknown']);
    expect(fieldOf(build([referring('a', 'a', ['x'])]), 'a', 'x')?.type).toBe('unknown');
  });

  it('is unknown if it refers to several columns or to no served one', () => {
    const both = table(
      'both',
      { x: untyped },
      { foreignKeys: [key(['x'], 'artists'), key(['x'], 'svc_users')] },
    );
    expect(fieldOf(build([artists, both]), 'both', 'x')?.type).toBe('unknown');
    expect(fieldOf(build([referring('a', 'artists')]), 'a', 'x')?.type).toBe('unknown');
  });

  it('has the type of its special', () => {
    const special = { collection: 'a', field: 'x', special: 'cast-json' };
    expect(fieldOf(build([artists, referring('a', 'artists')], [special]), 'a', 'x')?.type).toBe('json');
  });
});

describe('a field', () => {
  it.each([
    ['not nullable, without default', string(), {}, true, false],
    ['nullable', string(9, { nullable: true }), {}, false, false],
    ['with a literal default', string(9, { default: { kind: 'literal', value: 'x' } }), {}, false, true],
    [
      'with a computed default',
      string(9, { default: { kind: 'expression', sql: 'now()' } }),
      {},
      false,
      true,
    ],
    ['counted by the database', counter(), {}, false, true],
    ['generated', integer({ generated: { expression: '1', stored: true } }), {}, false, true],
    ['nullable, but required by meta', string(9, { nullable: true }), { required: true }, true, false],
    ['counted, though required by meta', counter(), { required: true }, false, true],
  ])('%s is required or has a default accordingly', (_, column, meta, required, hasDefault) => {
    const built = build(
      [table('t', { id: counter(), x: column })],
      [{ collection: 't', field: 'x', ...meta }],
    );
    expect(fieldOf(built, 't', 'x')).toMatchObject({ required, hasDefault });
  });

  it('has the options of its meta', () => {
    const built = build(
      [table('t', { id: counter(), slug: string(9, { comment: 'from the column' }) })],
      [
        {
          collection: 't',
          field: 'slug',
          readonly: true,
          note: 'from the meta',
          validation: { slug: { _regex: '^[a-z]+$' } },
          validation_message: 'letters only',
          validation_type: 'letters',
        },
      ],
    );
    expect(fieldOf(built, 't', 'slug')).toMatchObject({
      readonly: true,
      note: 'from the meta',
      validation: { slug: { _regex: '^[a-z]+$' } },
      validationMessage: 'letters only',
      validationType: 'letters',
    });
  });

  it('has the options of its column', () => {
    const view = table(
      'v',
      {
        id: integer(),
        made: string(9, { default: { kind: 'expression', sql: 'now()' }, comment: 'from the column' }),
        name: string(9, {
          collation: 'latin1_swedish_ci',
          default: { kind: 'literal', value: 'x' },
          comment: '',
        }),
      },
      { kind: 'view', primaryKey: null },
    );
    const built = build([view]);
    const options = { primaryKey: false, defaultSql: null, collation: null, note: null };
    expect(['id', 'made', 'name'].map((name) => fieldOf(built, 'v', name))).toMatchObject([
      options,
      { ...options, defaultSql: 'now()', note: 'from the column' },
      { ...options, collation: 'latin1_swedish_ci' },
    ]);
  });

  it.each([[['a']], ['a'], [5]])(
    'ignores a validation of the database that is no filter: %j',
    (validation) => {
      const built = build([table('t', { id: counter() })], [{ collection: 't', field: 'id', validation }]);
      expect(fieldOf(built, 't', 'id')?.validation).toBeNull();
      expect(built.warnings).toEqual([
        'svc_fields, t.id: "validation" is not a filter; write it as { field: { operator: value } }',
      ]);
    },
  );

  it('of an unknown type is text, with a warning', () => {
    const built = build([
      table('t', { id: counter(), place: ofType({ kind: 'unknown' }, { dbType: 'geometry' }) }),
    ]);
    expect(fieldOf(built, 't', 'place')?.type).toBe('unknown');
    expect(built.warnings).toEqual([
      't.place: svc does not know the column type "geometry"; the field is readable as text',
    ]);
  });

  it('of a system table has the type of the spec regardless of the column type', () => {
    const built = build([]);
    expect(fieldOf(built, 'svc_users', 'id')).toMatchObject({ type: 'uuid', fill: 'uuid', primaryKey: true });
    expect(fieldOf(built, 'svc_users', 'role')).toMatchObject({ type: 'uuid', fill: null, nullable: true });
    expect(fieldOf(built, 'svc_users', 'token')).toMatchObject({
      type: 'string',
      length: 255,
      conceal: true,
    });
    expect(fieldOf(built, 'svc_permissions', 'fields')?.type).toBe('csv');
    expect(fieldOf(built, 'svc_permissions', 'permissions')?.type).toBe('json');
    expect(fieldOf(built, 'svc_policies', 'admin_access')).toMatchObject({
      type: 'boolean',
      defaultValue: false,
    });
  });
});

it('the type that SQL has to know is that of the database, and always known where svc does not know the column', () => {
  const built = build([
    table('t', {
      id: counter(),
      plain: { ...string(), dbType: 'TEXT' },
      untyped: { ...string(), dbType: '' },
      odd: { ...ofType({ kind: 'unknown' }), dbType: 'box' },
    }),
  ]);
  expect(['plain', 'untyped', 'odd'].map((name) => fieldOf(built, 't', name)?.sqlType)).toEqual([
    null,
    '',
    'box',
  ]);
});
