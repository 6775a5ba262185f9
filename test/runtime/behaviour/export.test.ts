/** Exports: well-formed files of any data, streamed, and stopped with their client. */
import { load } from 'js-yaml';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { TestDialect } from '../../databases.js';
import { until } from '../../until.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, settingsOf } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const isLong = process.env.LONG !== undefined;
/** Rows of a large list, and characters of each. */
const [rowCount, width] = isLong ? [1_000_000, 250] : [40_000, 1_600];
/** Bytes of memory that a streamed list may take: less than the list. */
const maxMemory = (isLong ? 60 : 50) * 1024 * 1024;

const texts = [
  '=1+1',
  '+cmd',
  '-2',
  '@SUM(A1)',
  '\tx',
  '\rx',
  "'quoted",
  'a,b\n"c"',
  '<b>&</b>]]>',
  '\u0001\u0008',
  'null',
  '- x: y',
  '',
  'Żółta 🎈',
];

/** Fills `wide` with ids; its text is computed where a database can, because writing it takes longest. */
const wideTables: Readonly<Record<TestDialect, string>> = {
  sqlite: `create table wide (id integer primary key, txt varchar(${width}) generated always as (printf('%.${width}c', 'x')) virtual);
insert into wide (id) with recursive s (n) as (select 1 union all select n + 1 from s where n < ${rowCount}) select n from s;`,
  mariadb: `create table wide (id int primary key, txt varchar(${width}) generated always as (repeat('x', ${width})) virtual);
insert into wide (id) select seq from seq_1_to_${rowCount};`,
  mysql: `create table wide (id int primary key, txt varchar(${width}) generated always as (repeat('x', ${width})) virtual);
set session cte_max_recursion_depth = 10000000;
insert into wide (id) with recursive s (n) as (select 1 union all select n + 1 from s where n < ${rowCount}) select n from s;`,
  postgres: `create table wide (id int primary key, txt varchar(${width}) not null);
insert into wide select n, repeat('x', ${width}) from generate_series(1, ${rowCount}) n;`,
};

const schemaOf = (dialect: TestDialect): string => `
${wideTables[dialect]}
create table leaf (id int primary key, wide int, note ${dialect === 'postgres' ? 'jsonb' : 'json'}, foreign key (wide) references wide (id));
create table odd (id int primary key, ${dialect === 'postgres' ? '"a b"' : '`a b`'} varchar(40), amount decimal(10,2), big bigint, data ${dialect === 'postgres' ? 'jsonb' : 'json'});
create view plain as select id, amount from odd;
create view every as select id, txt from wide;
create view slow as select max(a.id + b.id * c.id) as id from leaf a, leaf b, leaf c;
insert into leaf select id, id, null from wide where id <= 3000;`;

/** Reads CSV as RFC 4180 has it. */
const readCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/g)) {
    if (rows.length === 0) rows.push([]);
    rows.at(-1)?.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end === '\n') rows.push([]);
    if (end === '') break;
  }
  return rows;
};

describe.each(settings)('exports on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: schemaOf(setting.dialect),
    // an answer that is not streamed may take a quarter
    environment: { QUERY_ROWS_MAX: '2000', ANSWER_BYTES_MAX: '64mb' },
    access: {
      policies: { Reader: [{ collection: 'odd', action: 'read', fields: ['id', 'amount'] }] },
      users: { reader: { policies: ['Reader'] } },
    },
  });
  const download = (path: string, signal?: AbortSignal, encoding = 'identity'): Promise<Response> =>
    fetch(server().url + path, {
      headers: { authorization: `Bearer ${adminToken}`, 'accept-encoding': encoding },
      ...(signal !== undefined && { signal }),
    });
  /** The bytes as text: `Response.text` would take the byte order mark away. */
  const text = async (path: string): Promise<string> =>
    Buffer.from(await (await download(path)).arrayBuffer()).toString();

  // texts that formats have to escape
  beforeAll(async () => {
    const body = texts.map((value, id) => ({
      id,
      'a b': value,
      amount: id % 2 === 0 ? `-${id}.50` : null,
      big: id === 1 ? '-9007199254740993' : null,
      data: id % 3 === 0 ? null : { deep: { list: [id, value] }, [`k<${id}>`]: value },
    }));
    const { status, text: answer } = await server().request('POST', '/items/odd', { as: 'admin', body });
    if (status !== 200) throw new Error(answer);
  });

  it('CSV is parsed to the same values, and no cell is a formula', async () => {
    const rows = readCsv(await text('/items/odd?fields=id,a b,amount,big&export=csv'));
    expect(rows[0]).toEqual(['id', 'a b', 'amount', 'big']);
    expect(rows).toHaveLength(texts.length + 1);
    rows.slice(1).forEach((row, index) => {
      const [id, cell = '', amount, big] = row;
      const value = texts[index] ?? '';
      expect(id).toBe(String(index));
      expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      expect(cell.replace(/^'/, '')).toBe(value);
      // numbers are never changed
      expect(amount).toBe(index % 2 === 0 ? `-${index}.50` : '');
      expect(big).toBe(index === 1 ? '-9007199254740993' : '');
    });
    expect(await text('/items/odd?fields=id&export=csv_utf8&limit=1')).toBe('\uFEFF"id"\n0');
  });

  it('CSV has a column for each path of any item', async () => {
    const [header = [], ...rows] = readCsv(await text('/items/odd?fields=id,data&export=csv'));
    expect(header.slice(0, 3)).toEqual(['id', 'data', 'data.deep.list']);
    expect(new Set(header).size).toBe(header.length);
    for (const row of rows) expect(row).toHaveLength(header.length);
    expect(rows[1]?.[2]).toBe(JSON.stringify([1, texts[1]]));
  });

  it('JSON, NDJSON, YAML and XML hold every item', async () => {
    const { data } = await server().request('GET', '/items/odd?limit=-1', { as: 'admin' });
    const path = '/items/odd?limit=-1&export=';
    expect(JSON.parse(await text(`${path}json`))).toEqual(data);
    const lines = (await text(`${path}ndjson`)).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(data);
    expect(load(await text(`${path}yaml`))).toEqual(data);
    const xml = await text(`${path}xml`);
    expect(xml).toMatch(/^<\?xml version='1.0'\?>\n<data>\n/);
    expect(xml.match(/^ {4}<data>/gm)).toHaveLength(texts.length);
    expect(xml).toContain('<a_x0020_b>&lt;b&gt;&amp;&lt;/b&gt;]]&gt;</a_x0020_b>');
    // eslint-disable-next-line no-control-regex -- XML must not have them
    expect(xml).not.toMatch(/[\u0000-\u0008]/);
    expectBalanced(xml);
  });

  it('an empty list is an empty file of its format', async () => {
    const none = '/items/odd?filter[id][_lt]=0&export=';
    expect(await text(`${none}json`)).toBe('[]');
    expect(await text(`${none}ndjson`)).toBe('');
    expect(await text(`${none}csv`)).toBe('');
    expect(await text(`${none}yaml`)).toBe('[]\n');
    expect(await text(`${none}xml`)).toBe("<?xml version='1.0'?>\n<data/>");
  });

  it('exports one item, aggregations, views and system collections, but not writes and keys', async () => {
    expect(await text('/items/odd/2?fields=id,amount&export=csv')).toBe('"id","amount"\n2,-2.50');
    expect(await text('/items/odd?aggregate[sum]=amount&export=csv')).toBe('"sum.amount"\n-45.50');
    expect(readCsv(await text('/items/plain?sort=id&export=csv'))).toHaveLength(texts.length + 1);
    expect(JSON.parse(await text('/roles?export=json&fields=name'))).toEqual(expect.any(Array));
    const refused = [
      ['GET', '/items/odd?export=xlsx'],
      ['GET', '/items/odd?fields=id&export=csv&after=x'],
      ['PATCH', '/items/odd/1?export=csv'],
      ['POST', '/items/odd?export=json'],
    ] as const;
    for (const [method, path] of refused) {
      const { status, codes } = await server().request(method, path, {
        as: 'admin',
        ...(method !== 'GET' && { body: {} }),
      });
      expect([path, status, codes]).toEqual([path, 400, ['INVALID_QUERY']]);
    }
  });

  it('sends the name of the file', async () => {
    const { headers } = await server().request('GET', '/items/odd?export=xml', { as: 'admin' });
    expect(headers.get('content-type')).toBe('text/xml; charset=utf-8');
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="odd \d{8}-\d{6}\.xml"$/);
  });

  it('contains only what the caller may read', async () => {
    const { text: csv } = await server().request('GET', '/items/odd?export=csv&limit=1', { as: 'reader' });
    expect(csv).toBe('"id","amount"\n0,-0.50');
    expect(
      (await server().request('GET', '/items/odd?fields=data&export=csv', { as: 'reader' })).codes,
    ).toEqual(['FORBIDDEN']);
  });

  describe('large lists', () => {
    /** Bytes in use before the lists. */
    let before = 0;
    beforeAll(async () => {
      before = await usedMemory();
    });
    // compressing takes as much time as all the rest: one list of one database is enough for it
    const large = [
      ['wide?limit=-1', setting.dialect === 'sqlite' ? 'gzip' : 'identity'],
      ['every?limit=-1', 'identity'],
      ['wide?aggregate[max]=txt&groupBy=id&limit=-1', 'identity'],
    ] as const;
    it.each(large)('streams %s with little memory', { timeout: 600_000 }, async (list, encoding) => {
      let most = 0;
      let lines = 0;
      let next = 0;
      const response = await download(`/items/${list}&export=ndjson`, undefined, encoding);
      expect(response.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
      for await (const chunk of response.body ?? []) {
        lines += countLines(chunk as Uint8Array);
        if (lines < next) continue;
        // what is read ahead shows in the first chunk, what is kept in one of the last
        next = next === 0 ? rowCount * 0.9 : Infinity;
        most = Math.max(most, (await usedMemory()) - before);
      }
      expect(lines).toBe(rowCount);
      expect(most).toBeLessThan(maxMemory);
    });
  });

  it('lists without a total order contain their nested lists', async () => {
    const list = '/items/leaf?fields=id,wide.txt,wide.leaf.id&sort=note&limit=1500&export=json';
    const items = JSON.parse(await text(list)) as { id: number; wide: { txt: string; leaf: unknown } }[];
    expect(items).toHaveLength(1_500);
    expect(new Set(items.map(({ id }) => id)).size).toBe(1_500);
    for (const { id, wide } of items) {
      expect(wide.txt).toHaveLength(width);
      expect(wide.leaf).toEqual([{ id }]);
    }
  });

  it('reads no more while the client does not, and nothing after it has disconnected', async () => {
    const { readUntil } = server().database;
    const statements = vi.fn<() => void>();
    const spy = vi.spyOn(server().database, 'readUntil').mockImplementation((signal) => {
      const { rows, ...reader } = readUntil(signal);
      return { ...reader, rows: (...call) => (statements(), rows(...call)) };
    });
    /** Waits until no statement has begun for a while. @returns how many have */
    const settle = (): Promise<number> => {
      let last = -1;
      const isSettled = (): number | null => {
        const before = last;
        last = statements.mock.calls.length;
        return last === before ? last : null;
      };
      return until(isSettled, { interval: 500 });
    };
    const controller = new AbortController();
    // a response that nobody reads would keep the server from closing
    onTestFinished(() => controller.abort());
    const response = await download('/items/wide?limit=-1&export=ndjson', controller.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    const read = await settle();
    expect(read).toBeGreaterThan(0);
    // statements of a megabyte, of which buffers of sockets hold up to 36 in Linux 6.17
    expect(read).toBeLessThan(((rowCount * width) / 2 ** 20) * 0.8);
    controller.abort();
    await expect(reader?.read()).rejects.toThrow(/abort/);
    expect(await settle()).toBeLessThanOrEqual(read + 1);
    spy.mockRestore();
    expect((await server().request('GET', '/items/odd?limit=1', { as: 'admin' })).status).toBe(200);
  });

  // a statement of SQLite ends before anything else that its process does
  const slowPaths = ['/items/slow?export=csv', '/items/slow?aggregate[max]=id&export=json'];
  it.each(setting.dialect === 'sqlite' ? [] : slowPaths)(
    'the statement of %s ends in the database when the client disconnects',
    async (path) => {
      const running =
        setting.dialect === 'postgres'
          ? `select 1 from pg_stat_activity where state = 'active' and datname = current_database() and query like '%slow%' and pid <> pg_backend_pid()`
          : `select 1 from information_schema.processlist where db = database() and info like '%slow%' and id <> connection_id()`;
      const count = async (): Promise<number> => (await server().database.query(running)).length;
      const controller = new AbortController();
      const response = download(path, controller.signal);
      await until(async () => (await count()) > 0);
      controller.abort();
      await expect(response).rejects.toThrow(/abort/);
      await until(async () => (await count()) === 0, { what: 'the statement has ended', timeout: 10_000 });
    },
  );

  it('closes the connection where a limit is met after the first item', async () => {
    const response = await download('/items/wide?limit=-1&fields=id,leaf.id&sort=id&export=json');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(/terminated/);
    const early = await server().request(
      'GET',
      '/items/wide?limit=5&fields=leaf.id&deep[leaf][_limit]=-2&export=json',
      {
        as: 'admin',
      },
    );
    expect(early.status).toBe(400);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that are in use. A thread frees buffers after the collection that found them, so there are two. */
const usedMemory = async (): Promise<number> => {
  collectGarbage();
  await wait(100);
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const countLines = (chunk: Uint8Array): number => {
  let count = 0;
  // a search of the runtime is faster than a loop over bytes
  for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, end + 1)) count += 1;
  return count;
};

/** Every element is closed in order. */
const expectBalanced = (xml: string): void => {
  const open: string[] = [];
  for (const [, close, name = '', alone] of xml.matchAll(/<(\/?)([^\s<>/?]+)(\/?)>/g)) {
    if (close === '/') expect(open.pop()).toBe(name);
    else if (alone === '') open.push(name);
  }
  expect(open).toEqual([]);
};
