import { describe, expect, expectTypeOf, it } from 'vitest';
import { emitModels } from '../../../generator/emitters/models/index.js';
import type { Collection, Field, Model } from '../../../generator/model/types.js';
import type { Product } from '../../cases/shop/expected/server/product.js';
import type { Order } from '../../cases/names/expected/server/order.js';
import { collection, counter, field, model } from '../models.js';
import { manyToOne, oneToMany } from './relations.js';

const emitFile = (path: string, collections: readonly Collection[], options: Partial<Model> = {}): string =>
  emitModels(model(collections, options)).find((file) => file.path === path)?.content ?? '';

const lineOf = (name: string, one: Field, options: Partial<Model> = {}): string => {
  const content = emitFile('server/thing.ts', [collection('thing', [counter('id'), one])], options);
  return content.split('\n').find((line) => line.startsWith(`  ${name}: svc.`)) ?? content;
};

const made = (options: Partial<Field>) =>
  field('x', 'string', { primaryKey: true, hasDefault: true, ...options });

it('generated keys are asked for before where inserts return no row, if they do not depend on it', () => {
  const uuid = made({ defaultSql: 'uuid()' });
  const before = { keysBeforeInsert: true };
  expect(lineOf('x', uuid, before)).toBe("  x: svc.string({ keyDefault: 'uuid()' }),");
  expect(lineOf('x', uuid)).toBe('  x: svc.string(),');
  expect(lineOf('x', made({ defaultValue: 'here' }), before)).toBe("  x: svc.string({ default: 'here' }),");
  expect(lineOf('x', made({ defaultSql: 'concat(`y`,1)' }), before)).toBe('  x: svc.string(),');
  expect(lineOf('x', { ...uuid, primaryKey: false }, before)).toBe('  x: svc.string(),');
});

describe('a line of the field table', () => {
  it.each<[string, Field, string]>([
    ['nothing where all is as usual', field('x', 'string'), 'svc.string()'],
    ['length', field('x', 'string', { length: 80 }), 'svc.string({ length: 80 })'],
    ['no bits for 32', field('x', 'integer', { bits: 32 }), 'svc.integer()'],
    [
      'other bits and sign',
      field('x', 'integer', { bits: 8, unsigned: true }),
      'svc.integer({ bits: 8, unsigned: true })',
    ],
    ['no bits for types that have one width', field('x', 'bigInteger', { bits: 64 }), 'svc.bigInteger()'],
    ['digits', field('x', 'decimal', { precision: 9, scale: 2 }), 'svc.decimal({ precision: 9, scale: 2 })'],
    ['no fraction for whole seconds', field('x', 'time', { fraction: 0 }), 'svc.time()'],
    ['a fraction', field('x', 'time', { fraction: 3 }), 'svc.time({ fraction: 3 })'],
    [
      'what may be written',
      field('x', 'string', { nullable: true, readonly: true }),
      'svc.string({ nullable: true, readonly: true })',
    ],
    ['lower case', field('x', 'string', { lowerCase: true }), 'svc.string({ lowerCase: true })'],
    ['what must be', field('x', 'string', { required: true }), 'svc.string({ required: true })'],
    ['what the database makes', field('x', 'string', { generated: true }), 'svc.string({ generated: true })'],
    [
      'what the server makes',
      field('x', 'uuid', { fill: 'uuid', dbType: 'char(36)' }),
      "svc.uuid({ fill: 'uuid' })",
    ],
    [
      'what is never shown',
      field('x', 'string', { conceal: true, hash: true }),
      'svc.string({ conceal: true, hash: true })',
    ],
    [
      'the words of an enum',
      field('x', 'string', { sqlType: 'enum', values: ['a', 'b'] }),
      "svc.string({ values: ['a', 'b'], dbType: 'enum' })",
    ],
    [
      'the geometries of a column',
      field('x', 'geometry', { dbType: 'point', geometry: { type: 'Point', srid: 4326 } }),
      "svc.geometry({ geometry: { type: 'Point', srid: 4326 } })",
    ],
  ])('contains %s', (_, one, printed) => {
    expect(lineOf('x', one)).toBe(`  x: ${printed},`);
  });

  it('follows its note', () => {
    const content = emitFile('server/thing.ts', [
      collection('thing', [field('x', 'string', { note: 'First\nsecond */' })]),
    ]);
    expect(content).toContain('  /**\n   * First\n   * second *\\/\n   */\n  x: svc.string(),\n');
  });
});

describe('a collection', () => {
  it('has options only for values other than the defaults', () => {
    const plain = emitFile('server/thing.ts', [collection('thing', [counter('id')])]);
    expect(plain).not.toMatch(/system|view|singleton|sortField|relations|uniques/);
    const odd = emitFile('server/thing.ts', [
      collection('thing', [counter('id'), field('place', 'integer')], {
        kind: 'view',
        system: true,
        singleton: true,
        sortField: 'place',
        path: null,
        key: [],
        uniques: [{ name: 'once', fields: ['id', 'place'] }],
      }),
    ]);
    expect(odd).toContain(
      [
        "  name: 'thing',",
        '  path: null,',
        '  system: true,',
        '  view: true,',
        '  singleton: true,',
        "  sortField: 'place',",
        '  model: Thing,',
        '  key: [],',
        '  fields,',
        '  uniques: {',
        "    once: ['id', 'place'],",
        '  },',
      ].join('\n'),
    );
    expect(odd).not.toContain('idColumn');
  });

  it('has a comment with its note, or a default comment', () => {
    const noted = collection('thing', [counter('id')], { note: 'All the things' });
    expect(emitFile('server/thing.ts', [noted])).toContain('/** All the things */\nexport class Thing');
    const plain = collection('thing', [counter('id')]);
    expect(emitFile('server/thing.ts', [plain])).toContain('/** A row of thing. */\nexport class Thing');
  });

  it('renames imports that collide with collections', () => {
    const things = collection('thing', [field('model', 'integer')], {
      relations: [manyToOne('model', 'Model')],
    });
    const models = collection('Model', [counter('id')], {
      relations: [oneToMany('things', 'thing', 'model')],
    });
    const content = emitFile('server/thing.ts', [things, models]);
    expect(content).toContain("import { Model as svcModel } from 'objection';\nimport { Model }");
    expect(content).toContain('extends (svcModel as svc.WithFields<typeof svcModel, typeof fields>)');
    expect(content).toContain('svc.relationMappings(Thing, relations, { modelRow: Model });');
  });

  it('declares relations to missing collections without mapping them', () => {
    const content = emitFile('server/thing.ts', [
      collection('thing', [field('gone', 'integer')], { relations: [manyToOne('gone', 'gone')] }),
    ]);
    expect(content).toContain("gone: svc.manyToOne('gone', ['gone'], ['id'])");
    expect(content).not.toContain('relationMappings');
  });

  it.each(['dot.ted', 'co:lon', 'a as b', ' edge', 'wh?'])(
    'warns of a relation that would hide the column "%s" and does not map it',
    (name) => {
      const content = emitFile('server/thing.ts', [
        collection('thing', [counter('id'), field(name, 'integer')], {
          relations: [manyToOne(name, 'thing', { property: 'odd' })],
        }),
      ]);
      expect(content).toContain(
        '  // Not mapped, because Objection would take their column names apart: odd.\n}',
      );
      expect(content).not.toContain('relationMappings');
      expect(content).not.toContain('property:');
    },
  );

  it('contains the options of a list', () => {
    const content = emitFile('server/thing.ts', [
      collection('thing', [counter('id')], {
        relations: [
          oneToMany('lines', 'line', 'thing', {
            junctionField: 'other',
            sortField: 'place',
            deselect: 'delete',
            meta: true,
          }),
        ],
      }),
    ]);
    expect(content).toContain(
      [
        "  lines: svc.oneToMany('line', ['thing'], ['id'], {",
        "    junctionField: 'other',",
        "    sortField: 'place',",
        "    deselect: 'delete',",
        '    listed: true,',
        '  }),',
      ].join('\n'),
    );
  });
});

describe('the index', () => {
  it('lists all collections, including one named "collections"', () => {
    const content = emitFile('server/index.ts', [
      collection('collections', [counter('id')]),
      collection('thing', [counter('id')]),
    ]);
    expect(content).toContain("import { collections as svcCollections } from './collections.js';");
    expect(content).toContain('collections: readonly CollectionDeclaration[] = [svcCollections, thing];');
  });

  it('exists for a database without tables', () => {
    expect(emitFile('server/index.ts', [])).toContain('collections: readonly CollectionDeclaration[] = [];');
  });
});

describe('the types of a generated model', () => {
  it('equal the types in JSON', () => {
    expectTypeOf<Product['price']>().toEqualTypeOf<string>();
    expectTypeOf<Product['stock']>().toEqualTypeOf<number>();
    expectTypeOf<Product['description']>().toEqualTypeOf<string | null>();
  });

  it('exclude members of Object and Model', () => {
    expectTypeOf<Order['toString']>().toEqualTypeOf<() => string>();
    expectTypeOf<Order['$query']>().toBeFunction();
    expectTypeOf<Order['class']>().toEqualTypeOf<string>();
  });
});
