/** Features of GraphQL beyond the planner: aliases, fragments, spellings, keys as text, and the visible schema. */
import { describe, expect, it } from 'vitest';
import { sampleDialects } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import type { TestServer } from '../server-harness.js';
import { ask, type GraphqlAnswer } from './library.js';

const schema = `
  create table artists (id {counter}, name varchar(50) not null, secret varchar(50), born integer);
  create table "art works" (id {counter}, "first title" varchar(50) not null, artist integer references artists (id), foreign key (artist) references artists (id));
  create table ratings (work integer not null, critic varchar(20) not null, stars integer, primary key (work, critic), foreign key (work) references "art works" (id));
  insert into artists (id, name, secret, born) values (1, 'Ilka', 'a', 1900), (2, 'Tomasz', 'b', null);
  insert into "art works" (id, "first title", artist) values (1, 'Harbour', 1), (2, 'Orchard', 1), (3, 'Loom', 2);
  insert into ratings values (1, 'Ann', 5), (1, 'B,b', 3), (2, 'Ann', 4);
`;

const access = {
  policies: {
    reader: [
      { collection: 'artists', action: 'read', fields: ['id', 'name', 'art works'] },
      {
        collection: 'art works',
        action: 'read',
        fields: ['id', 'first title', 'artist'],
        permissions: { id: { _lt: 3 } },
      },
    ],
    changing: [{ collection: 'artists', action: 'read', fields: ['id'] }],
    works: [{ collection: 'art works', action: 'read', fields: ['id', 'artist'] }],
    writer: [
      { collection: 'artists', action: 'create', fields: ['name', 'born'], presets: { name: 'Unnamed' } },
      { collection: 'artists', action: 'update', fields: ['born'] },
    ],
  },
  users: {
    reader: { policies: ['reader'] },
    changing: { policies: ['changing'] },
    works: { policies: ['works'] },
    writer: { policies: ['writer'] },
    nobody: {},
  },
} as const;

const typesOf = async (server: TestServer, as: string) => {
  const { text } = await server.request('GET', '/server/specs/graphql/items', as === 'public' ? {} : { as });
  return text;
};

const sendName = (server: TestServer, name: string) =>
  ask(server, 'query ($f: artists_filter) { artists(filter: $f) { id } }', {
    as: 'reader',
    variables: { f: { [name]: { _eq: 'a' } } },
  });

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlFor(dialect, schema), access });
  const data = async (query: string, options = {}) => {
    const answer = await ask(server(), query, options);
    expect([answer.status, answer.errors]).toEqual([200, []]);
    return answer.data;
  };

  describe('a selection', () => {
    it('has aliases at every level, also for one relation with different arguments', async () => {
      const found = await data(`{
        first: artists_by_id(id: 1) { called: name up: art_works(sort: ["first_title"], limit: 1) { t: first_title }
          down: art_works(sort: ["-first_title"], limit: 1) { t: first_title } }
      }`);
      expect(found).toEqual({ first: { called: 'Ilka', up: [{ t: 'Harbour' }], down: [{ t: 'Orchard' }] } });
    });

    it('expands fragments and merges repeated fields', async () => {
      const found = await data(`
        query ($no: Boolean = false) {
          artists(sort: ["id"], limit: 1) { ...names ... on artists { id art_works(limit: 1, sort: ["id"]) { id } } ... @include(if: $no) { born } }
        }
        fragment names on artists { name art_works(limit: 1, sort: ["id"]) { first_title __typename } }`);
      expect(found).toEqual({
        artists: [
          {
            name: 'Ilka',
            art_works: [{ first_title: 'Harbour', __typename: 'art_works', id: '1' }],
            id: '1',
          },
        ],
      });
    });

    it('can be empty', async () => {
      expect(
        await data(
          'query ($yes: Boolean!) { artists(sort: ["id"]) { id @skip(if: $yes) art_works { id @skip(if: $yes) } } }',
          { variables: { yes: true } },
        ),
      ).toEqual({ artists: [{ art_works: [{}, {}] }, { art_works: [{}] }] });
    });

    it.each([
      ['query', '/graphql', 'artists { id }'],
      ['query', '/graphql/system', 'server_ping'],
      ['mutation', '/graphql', 'delete_artists_item(id: 1) { id }'],
      ['mutation', '/graphql/system', 'delete_users_items(ids: []) { ids }'],
    ])('can have no fields: %s returns %s', async (kind, path, field) => {
      const document = `${kind} ($yes: Boolean!) { ${field.replace(/ \{|$/, ' @skip(if: $yes)$&')} }`;
      const { status, text } = await ask(server(), document, { path, variables: { yes: true } });
      expect([status, text]).toEqual([200, '{"data":{}}']);
    });

    it.each([
      'query ($i: Boolean = true) { artists @include(if: $i) { id } }',
      'query ($i: Boolean = true) { artists { id ... { name @skip(if: $i) } } }',
      'query ($i: Boolean = true) { artists { ...f } } fragment f on artists { id @include(if: $i) }',
      'mutation ($i: Boolean = true) { create_artists_item(data: { name: "Never" }) { id @skip(if: $i) } }',
    ])('is rejected without a value for @include: %s', async (document) => {
      const answer = await ask(server(), document, { variables: { i: null } });
      expect([answer.status, answer.problems]).toEqual([
        400,
        ['The variable "$i" is null, but "@skip" and "@include" require true or false.'],
      ]);
      expect(await data('{ artists(filter: { name: { _eq: "Never" } }) { id } }')).toEqual({ artists: [] });
    });

    it('accepts null for a variable that another operation uses in a directive', async () => {
      const document =
        'query a($i: Boolean = true) { artists(filter: { id: { _null: $i } }, limit: 0) { id } } query b($i: Boolean!) { artists { id @skip(if: $i) } }';
      const answer = await ask(server(), document, { operationName: 'a', variables: { i: null } });
      expect([answer.status, answer.problems]).toEqual([200, []]);
    });

    it('accepts the members of an argument in any order', async () => {
      expect(
        await data(
          '{ artists(filter: { id: { _gt: 0, _lt: 2 }, name: { _nnull: true } }) { id } artists(filter: { name: { _nnull: true }, id: { _lt: 2, _gt: 0 } }) { name } }',
        ),
      ).toEqual({ artists: [{ id: '1', name: 'Ilka' }] });
      const other =
        '{ artists(filter: { id: { _in: [1, 2] } }) { id } artists(filter: { id: { _in: [2, 1] } }) { id } }';
      expect((await ask(server(), other)).codes).toEqual(['GRAPHQL_VALIDATION']);
    });

    it('returns null for a missing item', async () => {
      await server().execute(sqlFor(dialect, `insert into "art works" ("first title") values ('Nobody’s')`));
      const found = await data(
        '{ art_works(filter: { artist: { id: { _null: true } } }) { first_title artist { name } } }',
      );
      expect(found).toEqual({ art_works: [{ first_title: 'Nobody’s', artist: null }] });
      await data('mutation { delete_art_works_items(filter: { artist: { id: { _null: true } } }) { ids } }');
    });

    it('returns counts beside the rows', async () => {
      const { body } = await ask(
        server(),
        '{ few: artists(limit: 1, meta: ["total_count"]) { id } all: artists { id } }',
      );
      expect(body).toMatchObject({ extensions: { meta: { few: { total_count: 2 } } } });
    });
  });

  describe('names that GraphQL spells differently', () => {
    it('are filtered, sorted and written by their GraphQL name', async () => {
      const made = await data(
        'mutation ($data: create_art_works_input!) { create_art_works_item(data: $data) { first_title artist { id } } }',
        { variables: { data: { first_title: 'New', artist: { id: 2 } } } },
      );
      expect(made).toEqual({ create_art_works_item: { first_title: 'New', artist: { id: '2' } } });
      const found = await data(
        'query ($f: artists_filter) { artists(filter: $f, sort: ["-name"]) { name art_works(filter: { first_title: { _eq: "New" } }) { first_title } } }',
        { variables: { f: { art_works: { _some: { first_title: { _starts_with: 'N' } } } } } },
      );
      expect(found).toEqual({ artists: [{ name: 'Tomasz', art_works: [{ first_title: 'New' }] }] });
      expect(
        await data('{ art_works(sort: ["-artist.name", "first_title"], limit: 1) { first_title } }'),
      ).toEqual({
        art_works: [{ first_title: 'Loom' }],
      });
      await data('mutation { delete_art_works_items(filter: { first_title: { _eq: "New" } }) { ids } }');
    });
  });

  describe('keys', () => {
    it('of several parts are joined by commas, each part escaped', async () => {
      expect(await data('{ ratings_by_id(id: "1,B%2Cb") { work { id } critic stars } }')).toEqual({
        ratings_by_id: { work: { id: '1' }, critic: 'B,b', stars: 3 },
      });
      expect(
        await data(
          'mutation { update_ratings_items(ids: ["1,Ann", "1,B%2Cb"], data: { stars: 1 }) { critic stars } }',
        ),
      ).toEqual({
        update_ratings_items: [
          { critic: 'Ann', stars: 1 },
          { critic: 'B,b', stars: 1 },
        ],
      });
      expect(
        await data('mutation { delete_ratings_items(filter: { critic: { _eq: "B,b" } }) { ids } }'),
      ).toEqual({
        delete_ratings_items: { ids: ['1,B%2Cb'] },
      });
    });

    it('select the items of a write, as does a query; a write requires one of them', async () => {
      const count = async () => (await data('{ artists { id } }')) as { artists: unknown[] };
      const before = await count();
      expect(
        await data(
          'mutation { delete_artists_items { ids } update_artists_items(data: { born: 1 }) { id } }',
        ),
      ).toEqual({
        delete_artists_items: { ids: [] },
        update_artists_items: [],
      });
      expect(await count()).toEqual(before);
    });
  });

  describe('several writes', () => {
    it('run in order, and those before a failure are kept', async () => {
      const answer = await ask(
        server(),
        'mutation { a: create_artists_item(data: { name: "Zoe" }) { name } b: update_artists_item(id: 777, data: { born: 1 }) { id } c: update_artists_items(filter: { name: { _eq: "Zoe" } }, data: { born: 2000 }) { name born } }',
      );
      expect(answer.body).toMatchObject({
        data: { a: { name: 'Zoe' }, b: null, c: [{ name: 'Zoe', born: 2000 }] },
        errors: [{ path: ['b'], locations: [{ line: 1, column: 67 }], extensions: { code: 'FORBIDDEN' } }],
      });
      await data('mutation { delete_artists_items(filter: { name: { _eq: "Zoe" } }) { ids } }');
    });

    it('are rejected for GET', async () => {
      const query = encodeURIComponent('mutation { delete_artists_item(id: 1) { id } }');
      const answer = await server().request('GET', `/graphql?query=${query}`, { as: 'admin' });
      expect([answer.status, answer.codes, answer.headers.get('allow')]).toEqual([
        405,
        ['METHOD_NOT_ALLOWED'],
        'POST',
      ]);
    });
  });

  describe('a caller with limited permissions', () => {
    it('reads permitted rows and fields', async () => {
      expect(
        await data('{ artists(sort: ["id"], limit: 2) { name art_works(sort: ["id"]) { id } } }', {
          as: 'reader',
        }),
      ).toEqual({
        artists: [
          { name: 'Ilka', art_works: [{ id: '1' }, { id: '2' }] },
          { name: 'Tomasz', art_works: [] },
        ],
      });
    });

    it.each([
      ['a field', '{ artists { secret } }', '{ artists { nothing } }'],
      [
        'a filter',
        '{ artists(filter: { secret: { _eq: "a" } }) { id } }',
        '{ artists(filter: { nothing: { _eq: "a" } }) { id } }',
      ],
      ['a collection', '{ ratings { stars } }', '{ nothing { stars } }'],
      [
        'a collection and what is below',
        '{ ratings { work { nothing } } }',
        '{ nothing { work { nothing } } }',
      ],
      [
        'a type',
        'query ($f: ratings_filter) { artists { id } }',
        'query ($f: nothing_filter) { artists { id } }',
      ],
      [
        'a fragment',
        '{ artists { id } } fragment f on ratings { stars }',
        '{ artists { id } } fragment f on nothing { stars }',
      ],
      ['a write', 'mutation { delete_artists_item(id: 1) { id } }', 'mutation { nothing(id: 1) { id } }'],
      ['a sort', '{ artists(sort: ["secret"]) { id } }', '{ artists(sort: ["nothing"]) { id } }'],
    ])('cannot distinguish a hidden %s from an unknown one', async (_, hidden, unknown) => {
      const [one, other] = [
        await ask(server(), hidden, { as: 'reader' }),
        await ask(server(), unknown, { as: 'reader' }),
      ];
      const names = /secret|nothing|ratings|delete_artists_item/g;
      // hints follow from what was sent and from what may be read
      const hint = / Did you mean .*/;
      const say = ({ problems, errors }: GraphqlAnswer) =>
        (problems.length > 0 ? problems : errors.map(({ reason }) => String(reason))).map((text) =>
          text.replace(hint, '').replaceAll(names, '…'),
        );
      for (const text of one.problems) expect(hint.exec(text)?.[0] ?? '').not.toMatch(names);
      expect(one.codes.length).toBeGreaterThan(0);
      expect([one.status, one.codes, say(one)]).toEqual([other.status, other.codes, say(other)]);
    });

    it('cannot distinguish a hidden name in variables from an unknown one', async () => {
      const [hidden, unknown] = [await sendName(server(), 'secret'), await sendName(server(), 'nothin')];
      expect(hidden.text.replaceAll('secret', '…')).toBe(unknown.text.replaceAll('nothin', '…'));
    });

    it('sees only permitted types', async () => {
      expect(await typesOf(server(), 'reader')).not.toMatch(/secret|ratings|Mutation|born|@svc/);
      expect(await typesOf(server(), 'nobody')).toBe('type Query {\n  _empty: Void\n}\n\nscalar Void\n');
      expect(await typesOf(server(), 'public')).toBe(await typesOf(server(), 'nobody'));
      const found = await data('{ schema: __schema { types { name } } }', { as: 'reader' });
      const { types } = (found as { schema: { types: { name: string }[] } }).schema;
      expect(types.map(({ name }) => name)).not.toContain('ratings');
      expect(types.map(({ name }) => name)).toContain('artists');
    });

    it('returns the key of an unreadable item', async () => {
      expect(
        await data('{ art_works(sort: ["id"], limit: 1, filter: { artist: { _eq: 1 } }) { artist } }', {
          as: 'works',
        }),
      ).toEqual({
        art_works: [{ artist: '1' }],
      });
      expect((await ask(server(), '{ art_works { artist { id } } }', { as: 'works' })).codes).toEqual([
        'GRAPHQL_VALIDATION',
      ]);
    });

    it('can omit values of presets, and receives true if nothing is readable', async () => {
      expect(await data('mutation { create_artists_item(data: { born: 1950 }) }', { as: 'writer' })).toEqual({
        create_artists_item: true,
      });
      const many =
        'create_artists_items(data: [{ born: 1901 }]) update_artists_items(ids: [1], data: { born: 1900 })';
      expect(await data(`mutation { ${many} }`, { as: 'writer' })).toEqual({
        create_artists_items: true,
        update_artists_items: true,
      });
      const types = await typesOf(server(), 'writer');
      for (const name of ['create_artists_items', 'update_artists_items', 'update_artists_batch']) {
        expect(types).toMatch(new RegExp(`^  ${name}\\(.*\\): Boolean$`, 'm'));
      }
      expect(await data('{ artists(filter: { born: { _eq: 1950 } }) { name } }')).toEqual({
        artists: [{ name: 'Unnamed' }],
      });
      expect(
        (
          await ask(server(), 'mutation { update_artists_item(id: 1, data: { name: "x" }) }', {
            as: 'writer',
          })
        ).codes,
      ).toEqual(['GRAPHQL_VALIDATION']);
      await data('mutation { delete_artists_items(filter: { name: { _eq: "Unnamed" } }) { ids } }');
    });

    it('returns the usual error for an invalid token', async () => {
      const answer = await server().request('POST', '/graphql', {
        body: { query: '{ __typename }' },
        headers: { authorization: 'Bearer nobody-knows' },
      });
      expect([answer.status, answer.codes]).toEqual([401, ['INVALID_CREDENTIALS']]);
    });
  });

  it('applies a change of permissions to the next document', async () => {
    const query = '{ artists(limit: 1) { born } }';
    expect((await ask(server(), query, { as: 'changing' })).codes).toEqual(['GRAPHQL_VALIDATION']);
    const { data: rows } = await server().request('GET', '/permissions?filter[policy][name][_eq]=changing', {
      as: 'admin',
    });
    const { id } = (rows as { id: number }[])[0] as { id: number };
    const changed = await ask(
      server(),
      `mutation { update_permissions_item(id: ${id}, data: { fields: ["*"] }) { fields } }`,
      { path: '/graphql/system' },
    );
    expect(changed.data).toEqual({ update_permissions_item: { fields: ['*'] } });
    expect((await ask(server(), query, { as: 'changing' })).codes).toEqual([]);
  });

  it('has operations as fields of the system schema', async () => {
    const found = await data(
      '{ server_ping health: server_health { status } auth_providers { data { name } disableDefault } server_specs_oas }',
      {
        path: '/graphql/system',
      },
    );
    expect(found).toMatchObject({
      server_ping: 'pong',
      health: { status: 'ok' },
      auth_providers: { data: [], disableDefault: false },
      server_specs_oas: { openapi: '3.1.0' },
    });
  });
});
