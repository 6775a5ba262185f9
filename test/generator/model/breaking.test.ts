import { describe, expect, it } from 'vitest';
import type { Table } from '../../../generator/introspection/catalog.js';
import { assembleModel } from '../../../generator/model/build.js';
import { compareModels } from '../../../generator/model/breaking.js';
import type { Collection, Model, Operation } from '../../../generator/model/types.js';
import {
  catalog,
  counter,
  integer,
  key,
  ofType,
  smallSpec,
  string,
  table,
  type ColumnSketch,
} from '../catalogs.js';

const modelOf = (tables: readonly Table[]): Model =>
  assembleModel({ catalog: catalog(tables), spec: smallSpec }).model;

const messages = (before: readonly Table[], after: readonly Table[]): string[] =>
  compareModels(modelOf(before), modelOf(after)).map(({ message }) => message);

const works = (columns: Readonly<Record<string, ColumnSketch>>): Table =>
  table('works', { id: counter(), ...columns });

const decimal = (precision: number | null, scale: number | null): ColumnSketch =>
  ofType({ kind: 'decimal', precision, scale });

const text = (length: number | null = null): ColumnSketch => ofType({ kind: 'text', length });

const list = (element: string): ColumnSketch => ofType({ kind: 'json' }, { dbType: `${element}[]` });

const pointing = (target: string) =>
  table('works', { id: counter(), x: integer() }, { foreignKeys: [key(['x'], target)] });

describe('a breaking change', () => {
  it.each<[string, Record<string, ColumnSketch>, Record<string, ColumnSketch>, string[]]>([
    ['a removed field', { a: string() }, {}, ['works.a no longer exists.']],
    ['a retyped field', { a: string() }, { a: integer() }, ['works.a was a string and is now an integer.']],
    [
      'a field that may be null now',
      { a: string() },
      { a: string(255, { nullable: true }) },
      ['works.a can now be null.'],
    ],
    [
      'a field that may not be null any more',
      { a: string(255, { nullable: true }) },
      { a: string() },
      ['works.a no longer accepts null.', 'works.a is now required on create.'],
    ],
    ['a new required field', {}, { a: string() }, ['works.a is new and required on create.']],
    [
      'a shorter field',
      { a: string(20) },
      { a: string(10) },
      ['works.a is now limited to a length of 10 (was 20).'],
    ],
    [
      'a text that has a length now',
      { a: text() },
      { a: string(20) },
      ['works.a is now limited to a length of 20 (was unlimited).'],
    ],
    [
      'a decimal of fewer digits',
      { a: decimal(12, 2) },
      { a: decimal(4, 1) },
      [
        'works.a is now limited to 3 digits before the decimal point (was 10).',
        'works.a is now limited to 1 digits after the decimal point (was 2).',
      ],
    ],
    [
      'a decimal that has digits before the point taken for those after it',
      { a: decimal(6, 2) },
      { a: decimal(6, 4) },
      ['works.a is now limited to 2 digits before the decimal point (was 4).'],
    ],
    [
      'a decimal that has limits now',
      { a: decimal(null, null) },
      { a: decimal(10, 0) },
      [
        'works.a is now limited to 10 digits before the decimal point (was unlimited).',
        'works.a is now limited to 0 digits after the decimal point (was unlimited).',
      ],
    ],
    [
      'a list of other elements',
      { a: list('integer') },
      { a: list('text') },
      ['works.a was a list of integer and is now a list of text.'],
    ],
    [
      'a list of narrower elements',
      { a: list('integer') },
      { a: list('smallint') },
      ['works.a was a list of integer and is now a list of smallint.'],
    ],
    [
      'any JSON that is a list now',
      { a: ofType({ kind: 'json' }) },
      { a: list('text') },
      ['works.a was a json and is now a list of text.'],
    ],
    [
      'enum values that are gone',
      { a: ofType({ kind: 'enum', values: ['x', 'y'] }) },
      { a: ofType({ kind: 'enum', values: ['x', 'z'] }) },
      ['works.a no longer accepts y.'],
    ],
    [
      'a narrower number',
      { a: ofType({ kind: 'integer', bits: 32, signed: true }) },
      { a: ofType({ kind: 'integer', bits: 16, signed: false }) },
      ['works.a is now limited to 16 bits (was 32).', 'works.a no longer accepts negative numbers.'],
    ],
    [
      'a generated field',
      { a: integer({ nullable: true }) },
      { a: integer({ nullable: true, generated: { expression: '1', stored: false } }) },
      ['works.a is now computed by the database and cannot be written.'],
    ],
    [
      'a number that is a text now',
      { a: integer() },
      { a: string() },
      ['works.a was an integer and is now a string.'],
    ],
    [
      'a text of which only some are accepted now',
      { a: text() },
      { a: ofType({ kind: 'enum', values: ['x', 'y'] }) },
      ['works.a now accepts only x, y.'],
    ],
    [
      'several enum values that are gone',
      { a: ofType({ kind: 'enum', values: ['x', 'y', 'z'] }) },
      { a: ofType({ kind: 'enum', values: ['x'] }) },
      ['works.a no longer accepts y, z.'],
    ],
  ])('%s', (_, before, after, want) => {
    expect(messages([works(before)], [works(after)])).toEqual(want);
  });

  it('is a removed collection, with the relations to it', () => {
    const artists = table('artists', { id: counter() });
    const before = table(
      'works',
      { id: counter(), artist: integer() },
      { foreignKeys: [key(['artist'], 'artists')] },
    );
    expect(messages([artists, before], [{ ...before, foreignKeys: [] }])).toEqual([
      'artists no longer exists.',
      'works.artist no longer leads anywhere.',
    ]);
  });

  it('is a field that becomes a relation', () => {
    const authors = table('authors', { id: counter() });
    const comments = table('comments', { id: counter(), author: integer() });
    const related = { ...comments, foreignKeys: [key(['author'], 'authors')] };
    expect(compareModels(modelOf([authors, comments]), modelOf([authors, related]))).toEqual([
      {
        kind: 'relation added',
        subject: 'comments.author',
        message: 'comments.author leads to one of authors now and takes a selection in GraphQL.',
      },
    ]);
  });

  it('is another key or kind', () => {
    const before = works({ code: string() });
    expect(messages([before], [{ ...before, primaryKey: ['code'] }])).toEqual([
      'works was keyed by id and is now keyed by code.',
    ]);
    expect(messages([before], [{ ...before, primaryKey: ['id', 'code'] }])).toEqual([
      'works was keyed by id and is now keyed by id, code.',
    ]);
    expect(messages([before], [{ ...before, kind: 'view', primaryKey: null }])).toEqual([
      'works is a view now and cannot be written.',
      'works was keyed by id and is now keyed by nothing.',
    ]);
  });

  it('is another path, and one object instead of a list', () => {
    const model = modelOf([works({})]);
    const [before] = model.collections.filter(({ name }) => name === 'works') as [Collection];
    const after = (changes: Partial<Collection>) => ({ ...model, collections: [{ ...before, ...changes }] });
    const compare = (...[old, now]: [Partial<Collection>, Partial<Collection>]) =>
      compareModels(after(old), after(now)).map(({ message }) => message);
    expect(compare({}, { singleton: true })).toEqual(['works answers with one object now.']);
    expect(compare({ singleton: true }, {})).toEqual(['works answers with a list now.']);
    expect(compare({}, { path: '/works' })).toEqual([
      'works was served at /items/works and is now at /works.',
    ]);
    expect(compare({}, { path: null })).toEqual(['works was served at /items/works and is now at no path.']);
    expect(compare({ path: null }, {})).toEqual(['works was served at no path and is now at /items/works.']);
  });

  it('is a field that meta makes read-only', () => {
    const columns = [works({ a: string() })];
    const meta = { fields: [{ collection: 'works', field: 'a', readonly: true }] };
    const after = assembleModel({ catalog: catalog(columns, meta), spec: smallSpec }).model;
    expect(compareModels(modelOf(columns), after).map(({ message }) => message)).toEqual([
      'works.a is now read-only.',
    ]);
  });

  it('is a list of other items under the same name, and another choice of collections', () => {
    const a = table('a', { id: counter() });
    const items = ['b', 'c'].map((name) =>
      table(name, { id: counter(), a: integer(), kind: string() }, { foreignKeys: [key(['a'], 'a')] }),
    );
    const blocks = table('blocks', { id: counter(), item: string(), kind: string() });
    const withMeta = (list: string, other: string, targets: string): Model =>
      assembleModel({
        catalog: catalog([a, ...items, blocks], {
          relations: [
            { many_collection: list, many_field: 'a', one_field: 'items' },
            { many_collection: other, many_field: 'a', one_field: 'others' },
            {
              many_collection: 'blocks',
              many_field: 'item',
              one_collection_field: 'kind',
              one_allowed_collections: targets,
            },
          ],
        }),
        spec: smallSpec,
      }).model;
    expect(compareModels(withMeta('b', 'c', 'a,b'), withMeta('c', 'b', 'a,c'))).toEqual([
      {
        kind: 'relation changed',
        subject: 'a.items',
        message: 'a.items led to a list of b and now leads to a list of c.',
      },
      {
        kind: 'relation changed',
        subject: 'a.others',
        message: 'a.others led to a list of c and now leads to a list of b.',
      },
      {
        kind: 'relation changed',
        subject: 'blocks.item',
        message: 'blocks.item led to one of a, b and now leads to one of a, c.',
      },
    ]);
  });

  it('is of the kind that it belongs to', () => {
    const b = table('b', { id: counter() });
    const before = {
      ...pointing('b'),
      columns: [
        ...works({ gone: string(), typed: string(), short: string(20), set: string(), x: integer() }).columns,
      ],
    };
    const after = works({
      typed: integer(),
      short: string(10),
      set: string(255, { nullable: true }),
      x: integer(),
      more: string(),
    });
    const kinds = compareModels(
      modelOf([b, table('c', { id: counter() }), before]),
      modelOf([b, { ...after, kind: 'view' }]),
    );
    expect(kinds.map(({ kind, subject }) => `${subject}: ${kind}`)).toEqual([
      'b.works: relation removed',
      'c: collection removed',
      'works: collection changed',
      'works.gone: field removed',
      'works.typed: field retyped',
      'works.short: field narrowed',
      'works.set: field nullable',
      'works.more: field required',
      'works.x: relation removed',
    ]);
  });

  it('is a relation with another target', () => {
    const [a, b] = [table('a', { id: counter() }), table('b', { id: counter() })];
    expect(messages([a, b, pointing('a')], [a, b, pointing('b')])).toEqual([
      'a.works no longer leads anywhere.',
      'works.x led to one of a and now leads to one of b.',
    ]);
  });

  it('is an operation that is removed or has another path', () => {
    const [ping, health] = ['ping', 'health'].map(
      (id) => ({ id, method: 'get', path: `/server/${id}` }) as Operation,
    );
    const before = { ...modelOf([]), operations: [ping, health] as Operation[] };
    const moved = { ...before.operations[0], method: 'post' } as Operation;
    expect(compareModels(before, before)).toEqual([]);
    expect(compareModels(before, { ...before, operations: [moved] })).toEqual([
      {
        kind: 'operation changed',
        subject: 'ping',
        message: 'ping was GET /server/ping and is now POST /server/ping.',
      },
      {
        kind: 'operation removed',
        subject: 'health',
        message: 'GET /server/health (health) no longer exists.',
      },
    ]);
  });
});

describe('a compatible change', () => {
  it.each<[string, Record<string, ColumnSketch>, Record<string, ColumnSketch>]>([
    ['nothing', { a: string() }, { a: string() }],
    ['a new nullable field', {}, { a: string(9, { nullable: true }) }],
    ['a longer field', { a: string(10) }, { a: string(20) }],
    ['a text without a length any more', { a: string(20) }, { a: text() }],
    ['a text that is kept in another way', { a: text(255) }, { a: string(255) }],
    ['a decimal of more digits', { a: decimal(4, 1) }, { a: decimal(12, 2) }],
    ['a decimal without limits any more', { a: decimal(4, 1) }, { a: decimal(null, null) }],
    ['a list of wider elements', { a: list('smallint') }, { a: list('integer') }],
    ['a list of longer texts', { a: list('character varying(20)') }, { a: list('text') }],
    [
      'another enum value',
      { a: ofType({ kind: 'enum', values: ['x'] }) },
      { a: ofType({ kind: 'enum', values: ['x', 'y'] }) },
    ],
    [
      'another default',
      { a: string(9, { nullable: true }) },
      { a: string(9, { nullable: true, default: { kind: 'literal', value: 'x' } }) },
    ],
    ['another word for the same type', { a: integer() }, { a: { ...integer(), dbType: 'INTEGER' } }],
  ])('%s', (_, before, after) => {
    expect(messages([works(before)], [works(after)])).toEqual([]);
  });

  it('is a new relation with its list', () => {
    const authors = table('authors', { id: counter() });
    const comments = table('comments', { id: counter() });
    const related = table(
      'comments',
      { id: counter(), author: integer({ nullable: true }) },
      { foreignKeys: [key(['author'], 'authors')] },
    );
    expect(messages([authors, comments], [authors, related])).toEqual([]);
  });

  it('is a view that remains one', () => {
    const view = table('totals', { sum: integer() }, { kind: 'view', primaryKey: null });
    expect(messages([view], [view])).toEqual([]);
  });

  it('is a new collection', () => {
    expect(messages([], [works({})])).toEqual([]);
  });
});
