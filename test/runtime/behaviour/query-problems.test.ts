/** A query with several problems is answered with all of them at once, in REST, in SEARCH and in GraphQL. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';

const sql = `
  create table maker (id int primary key, name varchar(20));
  create table thing (id int primary key, name varchar(20), size int, maker int,
    foreign key (maker) references maker (id));`;

const unknown = (name: string) => `the field "${name}" does not exist or may not be used`;
const noParameters = '"deep" has parameters below a relation, as in {"tracks": {"_limit": 5}}';
const noCount = (name: string) => `"${name}" must be a whole number from 0 up`;

describe.each(sampleSettings(import.meta.url))('problems on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql });
  const ask = async (query: Readonly<Record<string, unknown>>) => {
    const { errors } = await server().request('SEARCH', '/items/thing', { as: 'admin', body: { query } });
    return errors.map(({ reason }) => reason);
  };

  it.each([
    [
      'of all parameters',
      { limit: 'x', page: -1, meta: 'all,none', timezone: 'Mars', alias: { 'a.b': 'id' } },
      [
        '"meta" does not support "all"; it supports total_count, filter_count, cursor, *',
        '"meta" does not support "none"; it supports total_count, filter_count, cursor, *',
        `${noCount('limit')}, or -1 for all`,
        noCount('page'),
        expect.stringContaining('"alias" must map'),
        expect.stringContaining('"timezone" must be'),
      ],
    ],
    [
      'of a filter',
      { filter: { size: { _between: 1 }, _or: [{ name: { _null: 'x' } }, 5], _and: 1 }, sort: 'a' },
      [
        '"_between" needs a list with at least one value, as in [1, 2] or 1,2',
        '"_null" must be true or false',
        '"_or" must hold an object',
        '"_and" must be a list of filters',
      ],
    ],
    [
      'of the names in all parameters',
      { fields: 'nope,maker.no,id', filter: { no: 1, size: { _contains: 'a' } }, sort: 'size,-none' },
      [
        unknown('nope'),
        unknown('maker.no'),
        unknown('no'),
        expect.stringMatching(/^"size" \(integer\) does not support "_contains"; it supports _eq/),
        unknown('none'),
      ],
    ],
    [
      'of nested lists',
      {
        fields: 'maker.thing.id',
        deep: { maker: { thing: { _limit: 'x', _page: 'y' } }, other: { _offset: -1 } },
      },
      [`${noCount('limit')}, or -1 for all`, noCount('page'), noCount('offset')],
    ],
    [
      'of names in nested lists',
      {
        fields: 'maker.thing.id',
        deep: { _limit: 1, nope: 1, maker: { limit: 1, _limitt: 1, thing: { _meta: 'cursor' } } },
      },
      [
        `${noParameters}, not "_limit"`,
        ...['_limitt', '_meta'].map((name) =>
          expect.stringMatching(`^"deep" does not support "${name}"; it supports _filter, .*_limit, `),
        ),
      ],
    ],
    [
      'of relations in nested lists',
      { fields: 'no', deep: { nope: {}, maker: { none: {} }, name: {} } },
      [unknown('nope'), '"deep" takes relations, and "name" is none', unknown('no')],
    ],
    [
      'of groups',
      { groupBy: 'one,two', aggregate: { count: '*' }, filter: { no: 1 } },
      [unknown('one'), unknown('two')],
    ],
    [
      'of an aggregation',
      {
        groupBy: 'name',
        aggregate: { sum: 'name,no' },
        having: { a: 1, b: 2 },
        sort: 'c',
        filter: { no: 1 },
      },
      [
        expect.stringContaining('sum does not apply to "name"'),
        unknown('no'),
        ...['"a"', '"b"', '"c"'].map((name) => expect.stringContaining(`not ${name}`)),
        unknown('no'),
      ],
    ],
  ])('%s are reported at once', async (_, query, reasons) => {
    expect(await ask(query)).toEqual(reasons);
  });

  it('are counted up to a limit, so that an answer is not much longer than its request', async () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `x${index}`);
    expect(await ask({ fields: names })).toHaveLength(20);
  });

  it('have the status that all of them have, or 400', async () => {
    const { status, codes } = await server().request('GET', '/items/thing?fields=no&filter[size][_empty]=1', {
      as: 'admin',
    });
    expect([status, codes]).toEqual([400, ['FORBIDDEN', 'INVALID_QUERY']]);
    const names = await server().request('GET', '/items/thing?fields=no&sort=none', { as: 'admin' });
    expect([names.status, names.codes]).toEqual([403, ['FORBIDDEN', 'FORBIDDEN']]);
  });

  it('of one field in GraphQL are reported beside the data of the others', async () => {
    const query = '{ maker { id } thing(page: -1, sort: ["a", "b"], limit: -5) { id } }';
    const { body } = await server().request('POST', '/graphql', { as: 'admin', body: { query } });
    expect(body).toMatchObject({
      data: { maker: [], thing: null },
      errors: [{ path: ['thing'] }, { path: ['thing'] }],
    });
    const names = '{ thing(sort: ["a", "b"]) { id } }';
    const other = await server().request('POST', '/graphql', { as: 'admin', body: { query: names } });
    expect(other.errors.map(({ reason }) => reason)).toEqual([unknown('a'), unknown('b')]);
  });
});
