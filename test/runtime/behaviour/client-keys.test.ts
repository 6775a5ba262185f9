/** Keys that clients choose, of every kind: items in place of unknown keys, and items that may be stored already. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const uuid = (last: number): string => `7b000000-0000-4000-8000-00000000000${last}`;

const schema = `
create table "venue" ("id" {uuid} not null primary key, "name" varchar(20) not null);
create table "team" ("id" int not null primary key, "name" varchar(20) not null);
create table "seat" ("block" varchar(4) not null, "place" int not null, "label" varchar(20) not null, "price" int,
  primary key ("block", "place"));
create table "ticket" (
  "id" {counter}, "holder" varchar(20), "venue" {uuid}, "team" int, "seat_block" varchar(4), "seat_place" int,
  constraint "ticket_venue" foreign key ("venue") references "venue" ("id"),
  constraint "ticket_team" foreign key ("team") references "team" ("id"),
  constraint "ticket_seat" foreign key ("seat_block", "seat_place") references "seat" ("block", "place")
);
create table "badge" ("id" {counter}, "seat_block" varchar(4) not null, "seat_place" int not null,
  constraint "badge_seat" foreign key ("seat_block", "seat_place") references "seat" ("block", "place"));
create table "theme" ("id" {counter}, "name" varchar(20) not null, "parent" integer,
  constraint "theme_parent" foreign key ("parent") references "theme" ("id"));
`;

const rows = `
update "theme" set "parent" = null; delete from "theme"; delete from "ticket"; delete from "badge"; delete from "seat"; delete from "team"; delete from "venue";
insert into "venue" values ('${uuid(1)}', 'Hall');
insert into "team" values (1, 'Reds');
insert into "seat" values ('A', 1, 'front', 10), ('A', 2, 'second', 20);
insert into "ticket" ("id", "holder") values (1, 'Ann'), (2, 'Ben');
insert into "theme" ("id", "name") values (1, 'Sea'), (2, 'Sky');
`;

interface GraphqlBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  readonly extensions?: unknown;
}

describe.each(settings)('keys that clients choose on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema),
    meta: {
      relations: [
        { many_collection: 'ticket', many_field: 'seat', one_collection: 'seat', one_field: 'tickets' },
        { many_collection: 'badge', many_field: 'seat', one_collection: 'seat', one_field: 'badges' },
        { many_collection: 'theme', many_field: 'parent', one_collection: 'theme', one_field: 'children' },
      ],
    },
    access: {
      policies: {
        Seller: [
          { collection: 'ticket', action: 'update', fields: ['*'] },
          { collection: 'ticket', action: 'read', fields: ['*'] },
          ...['venue', 'team', 'seat'].flatMap((collection) => [
            { collection, action: 'update' as const, fields: ['*'] },
            { collection, action: 'read' as const, fields: ['*'] },
          ]),
        ],
        Porter: [
          { collection: 'ticket', action: 'update', fields: ['holder', 'seat_place'] },
          { collection: 'ticket', action: 'read', fields: ['holder'] },
        ],
        Seats: [
          { collection: 'seat', action: 'create', fields: ['*'] },
          { collection: 'seat', action: 'update', fields: ['label'], permissions: { price: { _lt: 20 } } },
          { collection: 'seat', action: 'read', fields: ['*'] },
        ],
      },
      roles: { Staff: { policies: [] } },
      users: {
        seller: { policies: ['Seller'] },
        seats: { policies: ['Seats'] },
        porter: { policies: ['Porter'] },
      },
    },
  });
  const restore = () => server().execute(sqlFor(setting.dialect, rows));
  beforeEach(restore);
  const send = (method: string, path: string, body?: unknown, as = 'admin') =>
    server().request(method, path, { as, ...(body !== undefined && { body }) });
  const graphql = async (mutation: string, variables = {}, endpoint = '/graphql'): Promise<GraphqlBody> =>
    (await server().request('POST', endpoint, { as: 'admin', body: { query: mutation, variables } }))
      .body as GraphqlBody;
  const upsert = async (path: string, body: unknown, as = 'admin') => {
    const answer = await send('POST', path, body, as);
    const { meta } = (answer.body ?? {}) as { readonly meta?: { readonly outcomes: readonly string[] } };
    return answer.codes.length > 0
      ? { codes: answer.codes }
      : { data: answer.data, outcomes: meta?.outcomes };
  };

  const patch = async (path: string, body: unknown) => (await send('PATCH', path, body)).data;
  const updateTheme = (data: string, selection: string) =>
    graphql(`mutation { update_theme_item(id: 1, data: ${data}) { ${selection} } }`);

  /** The answer to a caller who may write one of the two columns of the key, without the names of its fields. */
  const answerToPorter = async (payload: object) => {
    const { status, text } = await send('PATCH', '/items/ticket/1', payload, 'porter');
    return [status, text.replaceAll(/seat|nothing/g, 'name')];
  };

  const unknown = {
    uuid: { venue: { id: uuid(2), name: 'Arena' } },
    integer: { team: { id: 7, name: 'Blues' } },
    composite: { seat: { block: 'B', place: 9, label: 'back' } },
  } as const;
  const fields = 'venue.name,team.name,seat.label';

  it.each(Object.entries(unknown))(
    'an item with an unknown %s key is created in its place',
    async (_kind, payload) => {
      const [[relation, item]] = Object.entries(payload) as [[string, Readonly<Record<string, unknown>>]];
      const { name, label } = item;
      const shown = name === undefined ? { label } : { name };
      const made = await send('POST', `/items/ticket?fields=holder,${fields}`, { holder: 'New', ...payload });
      expect(made.data).toMatchObject({ holder: 'New', [relation]: shown });
      // known now, so it is changed
      const again = {
        [relation]: { ...item, ...(name === undefined ? { label: 'Again' } : { name: 'Again' }) },
      };
      const changed = await send('PATCH', `/items/ticket/1?fields=${fields}`, again);
      expect(changed.data).toMatchObject({
        [relation]: name === undefined ? { label: 'Again' } : { name: 'Again' },
      });
      const { data } = await send('GET', `/items/${relation}?aggregate[count]=*`);
      expect(data).toEqual([{ count: relation === 'seat' ? 3 : 2 }]);
    },
  );

  it.each(Object.entries(unknown))(
    'GraphQL creates an item with an unknown %s key too',
    async (_kind, payload) => {
      const [[relation, item]] = Object.entries(payload) as [[string, Readonly<Record<string, unknown>>]];
      const shown = relation === 'seat' ? 'label' : 'name';
      const query = `mutation ($data: create_ticket_input!) { made: create_ticket_item(data: $data) { ${relation} { ${shown} } } }`;
      expect(await graphql(query, { data: payload })).toEqual({
        data: { made: { [relation]: { [shown]: item[shown] } } },
      });
    },
  );

  it.each(Object.entries(unknown))(
    'an unknown %s key is refused to callers who may not create, and nothing is stored',
    async (_kind, payload) => {
      const { codes } = await send('PATCH', '/items/ticket/1', { holder: 'Changed', ...payload }, 'seller');
      expect(codes).toEqual(['FORBIDDEN']);
      expect((await send('GET', '/items/ticket/1?fields=holder')).data).toEqual({ holder: 'Ann' });
    },
  );

  it.each(Object.entries(unknown))('the same unknown %s key twice is one item', async (_kind, payload) => {
    const { data } = await send('POST', `/items/ticket?fields=${fields}`, [payload, payload]);
    const [first, second] = data as readonly unknown[];
    expect(first).toMatchObject(
      Object.fromEntries(
        Object.entries(payload).map(
          ([relation, { label, name }]: [string, { label?: string; name?: string }]) => [
            relation,
            name === undefined ? { label } : { name },
          ],
        ),
      ),
    );
    expect(second).toEqual(first);
  });

  it.each([
    ['uuid', { venue: { id: uuid(8) } }, { venue: uuid(8) }],
    ['integer', { team: { id: 88 } }, { team: 88 }],
    ['composite', { seat: { block: 'Z', place: 1 } }, { seat_block: 'Z', seat_place: 1 }],
  ])(
    'an item of nothing but an unknown %s key lacks its fields; the key alone is a broken reference',
    async (_kind, item, key) => {
      expect((await send('PATCH', '/items/ticket/1', item)).codes).toEqual(['FAILED_VALIDATION']);
      expect((await send('PATCH', '/items/ticket/1', key)).codes).toEqual(['INVALID_FOREIGN_KEY']);
    },
  );

  it('null under the name of a key of several columns refers to none, in REST and GraphQL', async () => {
    const assign = { seat: { block: 'A', place: 1 } };
    expect((await send('PATCH', '/items/ticket/1?fields=seat.label', assign)).data).toEqual({
      seat: { label: 'front' },
    });
    expect(
      (await send('PATCH', '/items/ticket/1?fields=seat_block,seat_place', { seat: null })).data,
    ).toEqual({
      seat_block: null,
      seat_place: null,
    });
    await send('PATCH', '/items/ticket/1', assign);
    expect(
      await graphql('mutation { update_ticket_item(id: 1, data: { seat: null }) { seat_place } }'),
    ).toEqual({
      data: { update_ticket_item: { seat_place: null } },
    });
    const { status, text } = await send('PATCH', '/items/ticket/1', { seat: 'A,1' });
    expect([status, text]).toEqual([400, expect.stringContaining('takes an item or null')]);
    expect((await send('POST', '/items/badge', { seat: null })).codes).toEqual([
      'FAILED_VALIDATION',
      'FAILED_VALIDATION',
    ]);
  });

  it('the name of a key whose columns a caller may not write is unknown to the caller', async () => {
    for (const value of [null, 'A,1', { block: 'A', place: 1 }]) {
      expect(await answerToPorter({ seat: value })).toEqual(await answerToPorter({ nothing: value }));
      expect((await answerToPorter({ seat: value }))[0]).toBe(403);
    }
    const { text } = await server().request('GET', '/server/specs/graphql/items', { as: 'porter' });
    expect(text).toContain('input update_ticket_input');
    expect(text).not.toMatch(/^ +seat:/m);
  });

  it('a create in GraphQL may leave out required columns that a relation sets', async () => {
    const made = 'create_badge_item(data: { seat: { block: "A", place: 1 } }) { seat { label } }';
    expect(await graphql(`mutation { ${made} }`)).toEqual({
      data: { create_badge_item: { seat: { label: 'front' } } },
    });
    const nothing = await graphql('mutation { create_badge_item(data: {}) { id } }');
    expect(nothing.errors?.map(({ extensions }) => extensions.code)).toEqual([
      'FAILED_VALIDATION',
      'FAILED_VALIDATION',
    ]);
  });

  describe('rows that lead to themselves', () => {
    it('a row can be its own parent in GraphQL as in REST', async () => {
      const body = { name: 'A', parent: { id: 1, name: 'B' } };
      expect(await patch('/items/theme/1?fields=name,parent.name', body)).toEqual({
        name: 'A',
        parent: { name: 'A' },
      });
      await restore();
      const { data } = await updateTheme(
        '{ name: "A", parent: { id: 1, name: "B" } }',
        'name parent { name }',
      );
      expect(data).toEqual({ update_theme_item: { name: 'A', parent: { name: 'A' } } });
    });

    it('a cycle is stored as given in GraphQL as in REST', async () => {
      const body = { parent: { id: 2, parent: { id: 1 } } };
      expect(await patch('/items/theme/1?fields=parent.parent.name', body)).toEqual({
        parent: { parent: { name: 'Sea' } },
      });
      await restore();
      const { data } = await updateTheme(
        '{ parent: { id: 2, parent: { id: 1 } } }',
        'parent { parent { name } }',
      );
      expect(data).toEqual({ update_theme_item: { parent: { parent: { name: 'Sea' } } } });
    });

    it('the same row twice in a list has one outcome in GraphQL and REST', async () => {
      const twice = [
        { id: 2, name: 'First' },
        { id: 2, name: 'Second' },
      ];
      const answer = await send('PATCH', '/items/theme/1?fields=children.name', { children: twice });
      expect(answer.data).toEqual({ children: [{ name: 'Second' }] });
      await restore();
      const body = await updateTheme(
        '{ children: [{ id: 2, name: "First" }, { id: 2, name: "Second" }] }',
        'children { name }',
      );
      expect(body).toEqual({ data: { update_theme_item: answer.data } });
    });
  });

  describe('on_conflict', () => {
    it('finds items by a composite key', async () => {
      const seats = [
        { block: 'A', place: 2, label: 'changed' },
        { block: 'C', place: 1, label: 'new' },
        { place: 1, block: 'A', label: 'front row' },
      ];
      expect(await upsert('/items/seat?on_conflict=update&fields=block,place,label,price', seats)).toEqual({
        data: [
          { block: 'A', place: 2, label: 'changed', price: 20 },
          { block: 'C', place: 1, label: 'new', price: null },
          { block: 'A', place: 1, label: 'front row', price: 10 },
        ],
        outcomes: ['updated', 'created', 'updated'],
      });
      const ignored = await upsert(
        '/items/seat?on_conflict=ignore&conflict=place,block&fields=label',
        seats[1],
      );
      expect(ignored).toEqual({ data: { label: 'new' }, outcomes: ['ignored'] });
    });

    it('treats the same composite key twice one after another, and needs all of it', async () => {
      const twice = [
        { block: 'D', place: 1, label: 'one' },
        { block: 'D', place: 1, label: 'two', price: 5 },
      ];
      expect(await upsert('/items/seat?on_conflict=update&fields=label,price', twice)).toEqual({
        data: [{ label: 'two', price: 5 }],
        outcomes: ['created', 'updated'],
      });
      expect(await upsert('/items/seat?on_conflict=update', { block: 'D', label: 'half' })).toEqual({
        codes: ['FAILED_VALIDATION'],
      });
    });

    it('holds an item that a composite key finds against the right to change it', async () => {
      const as = 'seats';
      const path = '/items/seat?on_conflict=update&fields=label';
      expect(await upsert(path, { block: 'A', place: 1, label: 'mine' }, as)).toEqual({
        data: { label: 'mine' },
        outcomes: ['updated'],
      });
      expect(await upsert(path, { block: 'A', place: 2, label: 'mine' }, as)).toEqual({
        codes: ['FORBIDDEN'],
      });
    });

    it('is an argument in GraphQL for composite keys', async () => {
      const query =
        'mutation ($data: [create_seat_input!]!) { made: create_seat_items(data: $data, on_conflict: update) { label } }';
      const data = [
        { block: 'A', place: 1, label: 'by GraphQL' },
        { block: 'E', place: 1, label: 'new' },
      ];
      expect(await graphql(query, { data })).toEqual({
        data: { made: [{ label: 'by GraphQL' }, { label: 'new' }] },
        extensions: { meta: { made: { outcomes: ['updated', 'created'] } } },
      });
    });

    it('finds system items by their key and by another constraint', async () => {
      const [role, fresh] = [server().ids.roles.get('Staff'), randomUUID()];
      const roles = [
        { id: role, name: 'Staff', description: 'changed' },
        { id: fresh, name: 'Fresh' },
      ];
      expect(await upsert('/roles?on_conflict=update&fields=name,description', roles)).toEqual({
        data: [
          { name: 'Staff', description: 'changed' },
          { name: 'Fresh', description: null },
        ],
        outcomes: ['updated', 'created'],
      });
      const user = { email: 'seller@example.com', first_name: 'Sally' };
      expect(await upsert('/users?on_conflict=update&conflict=email&fields=email,first_name', user)).toEqual({
        data: user,
        outcomes: ['updated'],
      });
      const query =
        'mutation { made: create_users_items(data: [{ email: "seller@example.com", first_name: "Sal" }], on_conflict: update, conflict: ["email"]) { first_name } }';
      expect(await graphql(query, {}, '/graphql/system')).toEqual({
        data: { made: [{ first_name: 'Sal' }] },
        extensions: { meta: { made: { outcomes: ['updated'] } } },
      });
    });

    it('does not let a caller take over a system item by a conflict', async () => {
      const admin = (await send('GET', '/users/me?fields=id,email')).data as { id: string; email: string };
      for (const as of ['seller', 'seats'])
        expect(
          await upsert(
            '/users?on_conflict=update&conflict=email',
            { email: admin.email, password: 'a new password' },
            as,
          ),
        ).toEqual({ codes: ['FORBIDDEN'] });
    });
  });
});
