import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  collectionNames,
  graphqlName,
  relationProperty,
  specFileOf,
  yamlWord,
} from '../../../generator/model/naming.js';

const long = 'x'.repeat(64);

const fileOf = (name: string): string => collectionNames(name, {}).file;

describe('collection names', () => {
  it.each([
    // name, file, type, variable, graphql
    ['Album', 'album', 'Album', 'album', 'Album'],
    ['InvoiceLine', 'invoice-line', 'InvoiceLine', 'invoiceLine', 'InvoiceLine'],
    ['svc_users', 'svc-users', 'SvcUsers', 'svcUsers', 'svc_users'],
    ['HTTPServer', 'http-server', 'HttpServer', 'httpServer', 'HTTPServer'],
    ['order line', 'order-line', 'OrderLine', 'orderLine', 'order_line'],
    ['a.b-c', 'a-b-c', 'ABC', 'aBC', 'a_b_c'],
    ['2fa', '2fa', '_2fa', '_2fa_', '_2fa'],
    ['class', 'class', 'Class', 'class_', 'class'],
    ['Date', 'date', 'Date_', 'date', 'Date_'],
    ['String', 'string', 'String_', 'string', 'String_'],
    ['Query', 'query', 'Query', 'query', 'Query_'],
    ['index', 'index_', 'Index', 'index', 'index'],
    ['operations', 'operations_', 'Operations', 'operations', 'operations'],
    ['__proto__', 'proto', 'Proto', 'proto', '_u5f__proto__'],
    ['constructor', 'constructor', 'Constructor', 'constructor', 'constructor'],
    ['select * from "x"', 'select-from-x', 'SelectFromX', 'selectFromX', 'select__u2a__from__u22_x_u22_'],
    ['Заказ', 'заказ', 'Заказ', 'заказ', '_u417__u430__u43a__u430__u437_'],
    ['订单', '订单', '订单', '订单_', '_u8ba2__u5355_'],
    ['😀 tab', 'u1f600-tab', 'U1f600Tab', 'u1f600Tab', '_u1f600__tab'],
    ['...', 'u2e-u2e-u2e', 'U2eU2eU2e', 'u2eU2eU2e', '_u5f___'],
    [long, long, `X${long.slice(1)}`, long, long],
  ])('of %j are %s, %s, %s and %s', (name, file, type, variable, graphql) => {
    expect(collectionNames(name, {})).toEqual({ file, type, variable, graphql });
  });

  it('are taken from the spec if it defines them', () => {
    expect(collectionNames('order line', { typescript: 'OrderRow', graphql: 'order_row' })).toEqual({
      file: 'order-row',
      type: 'OrderRow',
      variable: 'orderRow',
      graphql: 'order_row',
    });
  });

  it('are normalized to composed letters', () => {
    expect(collectionNames('Cafe\u0301', {}).type).toBe('Caf\u00e9');
  });

  it('shorten long file names with a hash', () => {
    const [first, second] = ['订'.repeat(200), `${'订'.repeat(199)}单`].map(
      (name) => collectionNames(name, {}).file,
    );
    expect(Buffer.byteLength(`${first}.ts`)).toBeLessThanOrEqual(255);
    expect(first).not.toBe(second);
  });

  it('are shortened between letters, and only there', () => {
    expect(fileOf('x'.repeat(80))).toBe('x'.repeat(80));
    expect(fileOf(`${'x'.repeat(79)}𐐨𐐨`)).toMatch(/^x{79}-[0-9a-f]{8}$/);
    expect(fileOf(`𐐨${'x'.repeat(100)}`)).toMatch(/^𐐨x{78}-[0-9a-f]{8}$/u);
    expect(fileOf('x'.repeat(81))).toMatch(/^x{80}-[0-9a-f]{8}$/);
  });

  it('are valid identifiers for all table names', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 70 }), (name) => {
        const { file, type, variable, graphql } = collectionNames(name, {});
        expect(type).toMatch(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u);
        expect(variable).toMatch(/^[\p{ID_Start}_][\p{ID_Continue}]*$/u);
        expect(variable).not.toBe(type);
        expect(graphql).toMatch(/^(?!__)[_A-Za-z][_0-9A-Za-z]*$/);
        expect(file).toMatch(/^[\p{ID_Continue}-]+$/u);
      }),
      { numRuns: 300 },
    );
  });
});

describe('names in GraphQL', () => {
  it.each(['id', 'ArtistId', '_id', 'a1', 'constructor'])('equal the name: %s', (name) => {
    expect(graphqlName(name)).toBe(name);
  });

  it.each([
    ['first name', 'first_name'],
    ['a.b', 'a_b'],
    ['price (€)', 'price__u28__u20ac__u29_'],
    ['1st', '_1st'],
    ['__typename', '_u5f__typename'],
    ['', '_'],
  ])('of %j is %s', (name, spelled) => {
    expect(graphqlName(name)).toBe(spelled);
  });
});

describe('names of relations in Objection', () => {
  it.each([
    // name, many, taken, want
    ['ArtistId', false, ['ArtistId'], 'artist'],
    ['artist_id', false, ['artist_id'], 'artist'],
    ['house', false, [], 'house'],
    ['InvoiceLine', true, [], 'InvoiceLine'],
    ['artist', false, ['artist'], 'artistRow'],
    ['works', true, ['works'], 'worksRows'],
    ['works', true, ['works', 'worksRows'], 'worksRows_'],
    ['id', false, [], 'id'],
    ['_id', false, [], 'id'],
    ['Id', false, ['Id'], 'id'],
    ['constructor', false, [], 'constructorRow'],
    ['__proto__', true, [], 'proto'],
    ['order line', true, [], 'orderLine'],
    ['grid_idea', false, ['grid_idea'], 'gridIdea'],
  ])('of %j (many: %s) beside %j is %s', (name, many, taken, want) => {
    expect(relationProperty(name, { many, taken: new Set(taken) })).toBe(want);
  });
});

describe('the spec file of a table', () => {
  it('has the name of the table, or a valid one with the table in it', () => {
    expect(specFileOf('works')).toBe('spec/collections/works.yaml');
    expect(specFileOf('a/b')).toBe('spec/collections/a-b.yaml (with collection: "a/b")');
  });
});

it.each([
  ['title', 'title'],
  ['_a1', '_a1'],
  ['1a', '"1a"'],
  ['a b', '"a b"'],
  ['a: b', '"a: b"'],
  ['', '""'],
])('the name %j is %s in YAML', (name, want) => {
  expect(yamlWord(name)).toBe(want);
});
