/** Filters of concealed columns of every type, of which a query may ask only whether they have a value. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

/** A value of each column; those of numbers and booleans are what a database may take for an empty text. */
const values = {
  word: 'a',
  small: 0,
  big: 0,
  ratio: 0,
  price: 0,
  flag: false,
  day: '2026-11-28',
  clock: '00:00:00',
  moment: '2026-11-28T00:00:00',
  code: '00000000-0000-0000-0000-000000000000',
  data: {},
  bytes: '',
};

const names = Object.keys(values);

const sql = `
create table "thing" (
  "id" integer primary key, "word" varchar(20), "small" smallint, "big" bigint, "ratio" double precision, "price" decimal(20,6),
  "flag" boolean, "day" date, "clock" {clock}, "moment" {dateTime}, "code" {uuid}, "data" json, "bytes" {bytes}
);
insert into "thing" ("id") values (2);
`;

const concealed = Object.fromEntries(names.map((name) => [name, { special: ['conceal'] }]));

describe.each(dialectsOf(import.meta.url))('concealed columns on %s', (dialect) => {
  const server = useServer({ dialect, sql: sqlFor(dialect, sql), meta: { fields: { thing: concealed } } });
  const find = async (filter: object): Promise<unknown> => {
    const query = new URLSearchParams({ fields: 'id', sort: 'id', filter: JSON.stringify(filter) });
    const { status, data } = await server().request('GET', `/items/thing?${query}`, { as: 'admin' });
    return status === 200 ? data : status;
  };

  it('are empty where they have no value', async () => {
    const stored = await server().request('POST', '/items/thing', {
      as: 'admin',
      body: { id: 1, ...values },
    });
    expect(stored.status).toBe(200);
    for (const name of names) {
      expect([name, await find({ [name]: { _empty: true } })]).toEqual([name, [{ id: 2 }]]);
      expect([name, await find({ [name]: { _nempty: true } })]).toEqual([name, [{ id: 1 }]]);
    }
  });
});
