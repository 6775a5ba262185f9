/** Writes that a database refuses because of its schema. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settings } from '../server-harness.js';

/** SQLite takes keys to what is missing or not unique, and refuses every write that makes it look at them. */
const broken = `
create table artist (id integer primary key, born integer, name text);
create table lost (id integer primary key, x integer references nowhere (id), name text);
create table vague (id integer primary key, n integer references artist (born), name text);
create table heard (id integer primary key);
create trigger hear after insert on heard begin insert into nowhere values (1); end;
pragma foreign_keys = off;
insert into artist values (1, 1900, 'Ann');
insert into lost values (1, 1, 'x');
insert into vague values (1, 1900, 'x');
`;

describe.each(settings.filter(({ dialect }) => dialect === 'sqlite'))(
  'a schema with invalid foreign keys on $dialect through $listener',
  (setting) => {
    const server = useServer({ ...setting, sql: broken });
    const send = (method: string, path: string, body?: unknown) =>
      server().request(method, path, { as: 'admin', ...(body === undefined ? {} : { body }) });

    it.each([
      ['POST', '/items/lost', { name: 'y' }],
      ['POST', '/items/lost', [{ x: 1 }, { x: null }]],
      ['PATCH', '/items/lost/1', { x: 2 }],
      ['DELETE', '/items/lost/1', undefined],
      ['POST', '/items/vague', { n: 1900 }],
      ['PATCH', '/items/vague/1', { n: null }],
      ['DELETE', '/items/vague/1', undefined],
      ['POST', '/items/artist', { born: 1901 }],
      ['PATCH', '/items/artist/1', { born: 1901 }],
      ['DELETE', '/items/artist/1', undefined],
      ['POST', '/items/heard', {}],
      ['POST', '/graphql', { query: 'mutation { delete_artist_item(id: 1) { id } }' }],
    ])('is not reported as a server error: %s %s %j', async (method, path, body) => {
      const { codes, text, status } = await send(method, path, body);
      expect({ codes, status }).toEqual({
        codes: ['UNPROCESSABLE_ENTITY'],
        status: path === '/graphql' ? 200 : 422,
      });
      expect(text).not.toMatch(/sql|mismatch|nowhere|no such/i);
    });

    it('accepts writes that it does not affect', async () => {
      expect((await send('PATCH', '/items/artist/1', { name: 'Bea' })).status).toBe(200);
      expect((await send('PATCH', '/items/lost/1', { name: 'y' })).status).toBe(200);
      expect((await send('GET', '/items/vague?fields=id,n.name')).status).toBe(200);
    });
  },
);
