/** Functions of dates, times, lists and JSON: the same numbers on every database. */
import { describe, expect, it } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const types: Readonly<Record<TestDialect, readonly [local: string, instant: string, json: string]>> = {
  sqlite: ['datetime', 'timestamp', 'json'],
  mariadb: ['datetime', 'timestamp null', 'json'],
  mysql: ['datetime', 'timestamp null', 'json'],
  postgres: ['timestamp', 'timestamptz', 'jsonb'],
};

/** Instants around changes of offset: half an hour before, and at the change. */
const instants = [
  '2024-03-31 00:59:59',
  '2024-03-31 01:00:00',
  '2024-10-27 00:59:59',
  '2024-10-27 01:00:00',
  '2024-02-29 23:30:00',
  '2023-12-31 23:59:59',
  '2024-01-01 00:00:00',
  '1999-06-15 12:34:56',
  '2037-07-01 22:00:00',
  // Morocco keeps its offset of Ramadan for a month
  '2024-03-10 02:00:00',
  '2024-04-14 01:59:59',
] as const;

const sqlOf = (dialect: TestDialect): string => {
  const [local, instant, json] = types[dialect];
  const zone = dialect === 'postgres' ? '+00' : '';
  const rows = instants.map(
    (text, index) =>
      `(${index + 1}, '${text.slice(0, 10)}', '${text}', '${text}${zone}', '${text.slice(11)}', '[1,2,3]')`,
  );
  return `
    create table moment (id int primary key, day date, local ${local}, instant ${instant}, clock time, data ${json});
    create table note (id int primary key, moment int, hidden int not null, foreign key (moment) references moment (id));
    insert into moment values ${rows.join(', ')}, (90, null, null, null, null, null), (91, null, null, null, null, '{}'), (92, null, null, null, null, '{"a":1}'), (93, null, null, null, null, '7');
    insert into note values (1, 1, 0), (2, 1, 1), (3, 2, 1);`;
};

const access: TestAccess = {
  policies: {
    Some: [
      { collection: 'moment', action: 'read', fields: ['id', 'note'] },
      { collection: 'note', action: 'read', fields: ['id'], permissions: { hidden: { _eq: 0 } } },
    ],
    Leap: [
      { collection: 'moment', action: 'read', fields: ['id'], permissions: { 'hour(instant)': { _eq: 1 } } },
    ],
    Alone: [{ collection: 'moment', action: 'read', fields: ['id', 'note'] }],
  },
  users: {
    some: { policies: ['Some'] },
    leap: { policies: ['Leap'] },
    alone: { policies: ['Alone'] },
  },
};

const meta = {
  relations: [{ many_collection: 'note', many_field: 'moment', one_collection: 'moment', one_field: 'note' }],
};

/** Computes the expected value by the runtime's own calendar. */
const expected = (text: string, zone: string): Record<string, number> => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
    hourCycle: 'h23',
  });
  const [, day = 0, month = 0, year = 0, hour = 0, minute = 0, second = 0] =
    /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/
      .exec(format.format(new Date(`${text.replace(' ', 'T')}Z`)))
      ?.map(Number) ?? [];
  const date = new Date(Date.UTC(year, month - 1, day));
  const dayOfYear = (date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000;
  const week = Math.floor((dayOfYear + 7 - date.getUTCDay()) / 7);
  return { year, month, week, day, weekday: date.getUTCDay() + 1, hour, minute, second };
};

const parts = ['year', 'month', 'week', 'day', 'weekday', 'hour', 'minute', 'second'];

const filtered = (filter: unknown): string => `filter=${encodeURIComponent(JSON.stringify(filter))}`;

describe.each(settings)('functions on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql: sqlOf(setting.dialect), meta, access });
  const read = async (query: string, as = 'admin'): Promise<unknown> => {
    const { status, data, codes } = await server().request('GET', `/items/moment?${query}`, { as });
    return status === 200 ? data : [status, ...codes];
  };
  const ids = async (query: string, as?: string): Promise<unknown> =>
    ((await read(`fields=id&sort=id&${query}`, as)) as { id: number }[]).map(({ id }) => id);

  it.each([
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Africa/Casablanca',
  ])('reads timestamps in %s, to the second of a change', async (zone) => {
    const fields = parts.map((part) => `${part}(instant)`).join(',');
    const rows = await read(`fields=${fields}&sort=id&timezone=${zone}&limit=${instants.length}`);
    expect(rows).toEqual(
      instants.map((text) =>
        Object.fromEntries(
          Object.entries(expected(text, zone)).map(([part, value]) => [`instant_${part}`, value]),
        ),
      ),
    );
  });

  it('reads dates, times and dates without a zone as they are stored', async () => {
    const fields = [
      'week(day)',
      'weekday(day)',
      'hour(local)',
      'year(local)',
      'hour(clock)',
      'second(clock)',
    ];
    const [first] = (await read(`fields=${fields.join()}&sort=id&limit=1&timezone=Asia/Tokyo`)) as unknown[];
    expect(first).toEqual({
      day_week: 13,
      day_weekday: 1,
      local_hour: 0,
      local_year: 2024,
      clock_hour: 0,
      clock_second: 59,
    });
  });

  it('returns null for null', async () => {
    expect(await read(`fields=year(day),hour(clock),count(data)&filter[id]=90`)).toEqual([
      { day_year: null, clock_hour: null, data_count: null },
    ]);
  });

  it('counts the elements of JSON and the rows of a list', async () => {
    expect(await read('fields=count(data)&filter[id][_in]=1,91,92,93&sort=id')).toEqual(
      [3, 0, 1, 1].map((count) => ({ data_count: count })),
    );
    expect(await read('fields=id,count(note)&limit=3&sort=-count(note),id')).toEqual([
      { id: 1, note_count: 2 },
      { id: 2, note_count: 1 },
      { id: 3, note_count: 0 },
    ]);
  });

  it('counts only rows that the caller may read', async () => {
    expect(await read('fields=id,count(note)&limit=2&sort=id', 'some')).toEqual([
      { id: 1, note_count: 1 },
      { id: 2, note_count: 0 },
    ]);
    expect(await ids(filtered({ 'count(note)': { _gte: 1 } }), 'some')).toEqual([1]);
    expect(await ids('sort=-count(note),-id&limit=1', 'some')).toEqual([1]);
    expect(await read('fields=count(note)', 'alone')).toEqual([403, 'FORBIDDEN']);
    expect(await read(filtered({ 'year(day)': 2024 }), 'some')).toEqual([403, 'FORBIDDEN']);
    expect(await read('sort=year(day)', 'some')).toEqual([403, 'FORBIDDEN']);
  });

  it('filters and sorts', async () => {
    expect(await ids(filtered({ 'year(instant)': { _in: [1999, 2037] } }))).toEqual([8, 9]);
    expect(await ids(`${filtered({ 'year(instant)': { _eq: 2024 } })}&timezone=Asia/Tokyo`)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 10, 11,
    ]);
    expect(await ids(filtered({ 'month(day)': { _eq: 3, _neq: 4 } }))).toEqual([1, 2, 10]);
    expect(await ids(filtered({ 'year(day)': { _null: true } }))).toEqual([90, 91, 92, 93]);
    expect(await read('fields=id&sort=-month(day),-day(day),id&limit=2')).toEqual([{ id: 6 }, { id: 3 }]);
  });

  it('reads the time of a rule in UTC, regardless of the zone that the caller names', async () => {
    expect(await ids('', 'leap')).toEqual([2, 4, 11]);
    expect(await ids('timezone=Asia/Tokyo', 'leap')).toEqual([2, 4, 11]);
  });

  it('gives fields, lists and functions other names', async () => {
    expect(
      await read(
        'fields=id,born,mine.id,id2&alias[born]=year(day)&alias[mine]=note&alias[id2]=id&deep[mine][_limit]=1&limit=1&sort=id',
      ),
    ).toEqual([{ id: 1, born: 2024, mine: [{ id: 1 }], id2: 1 }]);
    expect(await read('fields=x&alias={"x":"day"}', 'some')).toEqual([403, 'FORBIDDEN']);
    expect(await read('fields=x&alias={"x":"year(day)"}', 'some')).toEqual([403, 'FORBIDDEN']);
  });

  it.each([
    'fields=hour(day)',
    'fields=year(clock)',
    'fields=year(note)',
    'fields=count(day)',
    'fields=year()',
    'fields=decade(day)',
    'fields=year(day).x',
    'fields=year(instant)&timezone=Mars/Olympus',
    'fields=year(instant)&timezone=%2B02:00',
    'filter={"year(day)":{"_contains":"2"}}',
    'alias={"a.b":"day"}&fields=id',
    'alias={"a":"note.id"}&fields=id',
  ])('rejects %s', async (query) => {
    expect(await read(query)).toEqual([400, 'INVALID_QUERY']);
  });
});
