/** Whole numbers of 64 bits, as JSON numbers: JSON has rounded them before anybody sees them. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const first = '9007199254740992';
const second = '9007199254740993';
const rounded = { status: 400, codes: ['GRAPHQL_VALIDATION'], reason: 'as text' };

describe.each(dialects)('keys of 64 bits on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: `create table doc (id integer primary key, opts json);
      insert into doc (id, opts) values (1, '{"n":1}');
      create table big (id bigint primary key, name varchar(20), next bigint, foreign key (next) references big (id));
      insert into big (id, name) values (7, 'seven'), (${first}, 'first'), (${second}, 'second');`,
  });
  /** `variables`: the text of JSON. */
  const send = async (query: string, variables: string) => {
    const { status, codes, body, text } = await server().request('POST', '/graphql', {
      as: 'admin',
      raw: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
      headers: { 'content-type': 'application/json' },
    });
    return status === 200 ? body : { status, codes, reason: /as text/.exec(text)?.[0] };
  };

  const write = (opts: string) =>
    send(`mutation { update_doc_item(id: 1, data: { opts: ${opts} }) { opts } }`, '{}');

  it.each([
    ['read', 'query ($i: ID!) { big_by_id(id: $i) { id } }', `{"i":${second}}`],
    [
      'update',
      'mutation ($i: ID!) { update_big_item(id: $i, data: { name: "x" }) { id } }',
      `{"i":${second}}`,
    ],
    [
      'update several',
      'mutation ($i: [ID!]!) { update_big_items(ids: $i, data: { name: "x" }) { id } }',
      `{"i":[7,${second}]}`,
    ],
    ['delete', 'mutation ($i: ID!) { delete_big_item(id: $i) { id } }', `{"i":${second}}`],
    ['delete several', 'mutation ($i: [ID!]!) { delete_big_items(ids: $i) { ids } }', `{"i":${second}}`],
    [
      'create',
      'mutation ($d: create_big_input!) { create_big_item(data: $d) { id } }',
      `{"d":{"id":9007199254740997,"name":"x"}}`,
    ],
    [
      'relate',
      'mutation ($d: update_big_input) { update_big_item(id: 7, data: $d) { id } }',
      `{"d":{"next":{"id":${second}}}}`,
    ],
    [
      'relate several',
      'mutation ($d: update_big_input) { update_big_item(id: 7, data: $d) { id } }',
      `{"d":{"big":[{"id":${second}}]}}`,
    ],
    ['below zero', 'query ($i: ID!) { big_by_id(id: $i) { id } }', `{"i":-${second}}`],
  ])('%s no item by a rounded number', async (_, query, variables) => {
    expect(await send(query, variables)).toEqual(rounded);
    expect(await send('{ big(sort: ["id"]) { id name next { id } } }', '{}')).toEqual({
      data: {
        big: [
          { id: '7', name: 'seven', next: null },
          { id: first, name: 'first', next: null },
          { id: second, name: 'second', next: null },
        ],
      },
    });
  });

  it('are not compared with a rounded number', async () => {
    const query = 'query ($f: big_filter) { big(filter: $f) { id } }';
    expect(await send(query, `{"f":{"id":{"_eq":${second}}}}`)).toMatchObject({
      errors: [{ path: ['big'], extensions: { code: 'INVALID_QUERY' } }],
    });
    expect(await send(query, `{"f":{"id":{"_eq":"${second}"}}}`)).toEqual({
      data: { big: [{ id: second }] },
    });
  });

  it('are exact as texts, in the document, and if JSON represents them exactly', async () => {
    const query = `query ($i: ID!, $j: ID!) { a: big_by_id(id: $i) { id } b: big_by_id(id: ${second}) { id } c: big_by_id(id: $j) { id } }`;
    expect(await send(query, `{"i":"${second}","j":7}`)).toEqual({
      data: { a: { id: second }, b: { id: second }, c: { id: '7' } },
    });
  });

  it('are exact in a filter in the document', async () => {
    const query = `{ big(filter: { id: { _eq: ${second} } }) { id } }`;
    expect(await send(query, '{}')).toEqual({ data: { big: [{ id: second }] } });
  });

  describe('in literals of JSON', () => {
    it.each([`{ a: [1, ${second}] }`, `{ a: { b: -${second} } }`, '[1e999]', second])(
      'are refused where a number of JSON rounds: %s',
      async (opts) => {
        expect(await write(opts)).toEqual(rounded);
        expect(await send('{ doc { opts } }', '{}')).toEqual({ data: { doc: [{ opts: { n: 1 } }] } });
      },
    );

    it('are refused in a filter and in the conditions of groups', async () => {
      const filter = `{ doc(filter: { opts: { _json: { n: { _eq: ${second} } } } }) { id } }`;
      expect(await send(filter, '{}')).toEqual(rounded);
      const having = `{ big_aggregated(groupBy: ["name"], having: { max: { id: { _eq: VALUE } } }) { group } }`;
      expect(await send(having.replace('VALUE', second), '{}')).toEqual(rounded);
      expect(await send(having.replace('VALUE', `"${second}"`), '{}')).toEqual({
        data: { big_aggregated: [{ group: { name: 'second' } }] },
      });
    });

    it('are stored where they are exact, beside variables too', async () => {
      const query = `mutation ($v: JSON) { update_doc_item(id: 1, data: { opts: { a: [-7, 0.5, ${first}, $v] } }) { opts } }`;
      expect(await send(query, '{"v":{"n":1}}')).toEqual({
        data: { update_doc_item: { opts: { a: [-7, 0.5, 2 ** 53, { n: 1 }] } } },
      });
      expect(await write('{ n: 1 }')).toEqual({ data: { update_doc_item: { opts: { n: 1 } } } });
    });
  });
});
