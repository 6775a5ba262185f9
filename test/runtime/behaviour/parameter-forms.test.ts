/** Every parameter of a read means the same in brackets, as JSON or with commas in a URL, and in the body of a SEARCH. */
import qs from 'qs';
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';

const sql = `
  create table maker (id int primary key, name varchar(20));
  create table thing (id int primary key, name varchar(20), size int, made timestamp null, maker int, data json,
    foreign key (maker) references maker (id));
  insert into maker values (1, 'Ada'), (2, 'Bob');
  insert into thing values (1, 'a', 5, '2024-03-31 23:30:00', 1, '{"tags":["x","y"]}'),
    (2, 'b', 7, '2024-04-01 00:00:00', 1, '{"tags":["z"]}'), (3, 'c', 9, null, 2, null), (4, 'd', null, null, null, null);`;

const meta = {
  relations: [
    { many_collection: 'thing', many_field: 'maker', one_collection: 'maker', one_field: 'things' },
  ],
  fields: { thing: { data: { special: ['cast-json'] } } },
};

/** Parameters as a program writes them. */
const parameters: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  fields: { fields: ['id', 'maker.name'] },
  filter: { filter: { _or: [{ size: { _in: [5, 9] } }, { maker: { name: { _eq: 'Bob' } } }] } },
  'a range in a filter': { filter: { size: { _between: [6, 9] } } },
  search: { search: 'b' },
  sort: { sort: ['-maker.name', 'id'] },
  limit: { limit: 2 },
  offset: { limit: 2, offset: 1 },
  page: { limit: 2, page: 2 },
  meta: { meta: ['total_count', 'filter_count'], limit: 1 },
  deep: { fields: ['id', 'maker.things.id'], deep: { maker: { things: { _limit: 1, _sort: ['-id'] } } } },
  alias: { fields: ['id', 'big'], alias: { big: 'size' } },
  timezone: { fields: ['id', 'day(made)'], timezone: 'Asia/Tokyo' },
  backlink: { fields: ['maker.*.*'], backlink: false },
  aggregate: { aggregate: { count: ['*'], sum: ['size', 'id'] } },
  groupBy: { aggregate: { count: ['*'] }, groupBy: ['maker', 'day(made)'] },
  export: { export: 'csv', fields: ['id', 'name'] },
  json: { fields: ['id', 'json(data,tags[0])'], sort: ['-json(data,tags[0])', 'id'] },
  'json in a filter': { filter: { data: { _json: { 'tags[0]': { _eq: 'z' } } } } },
  having: { aggregate: { count: ['*'] }, groupBy: ['maker'], having: { count: { _gte: 2 } } },
};

/** Lists with commas, objects as JSON. */
const inJson = (given: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(given).map(([name, value]): [string, string] => [
      name,
      Array.isArray(value)
        ? value.join(',')
        : typeof value === 'object'
          ? JSON.stringify(value)
          : String(value),
    ]),
  ).toString();

/** Brackets around every key, and commas in every list of values. */
const inCommas = (given: Readonly<Record<string, unknown>>): string =>
  qs.stringify(given, { arrayFormat: 'comma', encodeValuesOnly: true });

describe.each(sampleSettings(import.meta.url))('parameters on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql, meta });
  const ask = async (method: 'GET' | 'SEARCH', query: string, body?: object) => {
    const { status, text } = await server().request(method, `/items/thing${query}`, {
      as: 'admin',
      ...(body !== undefined && { body }),
    });
    return [status, text];
  };

  /** The answers to a query in each form, with the form that they are of. */
  const answersOf = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const forms = [
      inJson(given),
      qs.stringify(given),
      qs.stringify(given, { arrayFormat: 'brackets', encodeValuesOnly: true }),
      ...(name === 'filter' ? [] : [inCommas(given)]),
    ];
    return Promise.all(forms.map(async (form) => ({ form, answer: await ask('GET', `?${form}`) })));
  };
  const search = (query: Readonly<Record<string, unknown>>) => ask('SEARCH', '', { query });

  it.each(Object.keys(parameters))('%s means the same in every form', async (name) => {
    const given = parameters[name] ?? {};
    const answer = await search(given);
    expect([name, answer[0]]).toEqual([name, 200]);
    for (const each of await answersOf(name, given)) expect(each).toEqual({ form: each.form, answer });
    // a parameter that has no effect would prove nothing
    expect(answer).not.toEqual(await ask('GET', ''));
  });

  it('after means the same in every form', async () => {
    const page = { sort: ['-size', 'id'], limit: 1 };
    const [, text] = await search({ ...page, meta: ['cursor'] });
    const { meta: first } = JSON.parse(String(text)) as { readonly meta: { readonly cursor: string } };
    const given = { ...page, after: first.cursor };
    const answer = await search(given);
    expect(answer).toEqual([200, expect.stringContaining('"id":2')]);
    for (const each of await answersOf('after', given)) expect(each).toEqual({ form: each.form, answer });
  });
});
