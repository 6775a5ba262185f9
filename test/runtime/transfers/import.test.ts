/** Imports and exports as requests of the queue, without Temporal: a process of the API runs them. */
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';
import { settingsOf } from '../server-harness.js';
import { endOf, submit, type Ended } from './transfers.js';

const settings = settingsOf(import.meta.url);

const schema = `
create table "book" (
  "id" {counter}, "title" varchar(20) not null, "pages" integer, "isbn" varchar(9) unique, "note" varchar(40)
);
create table "label" ("id" integer primary key, "words" varchar(60), "array" ARRAY, "flag" FLAGS);
create table "page" ("id" {counter}, "book" integer, "text" varchar(20), foreign key ("book") references "book" ("id"));
`;

const fileOf = async ({ url }: { readonly url: string }): Promise<string> => (await fetch(url)).text();

const list = { special: ['cast-csv'] };

/** Databases with a type for sets of texts. */
const hasSets: ReadonlySet<string> = new Set(['mariadb', 'mysql']);

const csv = { 'content-type': 'text/csv' };
const files = await mkdtemp(join(tmpdir(), 'svc-transfers-'));

describe.each(settings)('an import on $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlFor(setting.dialect, schema)
      .replace('ARRAY', setting.dialect === 'postgres' ? 'text[]' : 'varchar(60)')
      .replace('FLAGS', hasSets.has(setting.dialect) ? "set('a','b')" : 'varchar(60)'),
    meta: {
      fields: {
        label: {
          words: list,
          ...(setting.dialect !== 'postgres' && { array: list }),
          ...(!hasSets.has(setting.dialect) && { flag: list }),
        },
      },
      relations: [
        { many_collection: 'page', many_field: 'book', one_collection: 'book', one_field: 'pages_of' },
      ],
    },
    access: {
      policies: {
        Clerk: [
          {
            collection: 'book',
            action: 'read',
            fields: ['id', 'title'],
            permissions: { pages: { _lt: 100 } },
          },
          { collection: 'book', action: 'create', fields: ['title', 'pages'], presets: { note: 'by clerk' } },
        ],
        Reader: [{ collection: 'book', action: 'read', fields: ['title'] }],
      },
      users: { clerk: { policies: ['Clerk'] }, reader: { policies: ['Reader'] } },
    },
    environment: { QUEUE_FILES_DIR: files },
  });
  const load = async (
    raw: string,
    query = '',
    options: { as?: string; type?: string } = {},
  ): Promise<Ended> => {
    const { as = 'admin', type = 'text/csv' } = options;
    return endOf(server(), await submit(server(), `/items/book/import${query}`, { as, raw, type }), as);
  };
  const refused = async (path: string, as?: string) => {
    const options = { raw: 'title\nw3\n', headers: csv, ...(as !== undefined && { as }) };
    return (await server().request('POST', path, options)).status;
  };
  const books = async (filter: object, fields = 'title,pages,isbn,note') => {
    const path = `/items/book?fields=${fields}&sort=id&filter=${JSON.stringify(filter)}`;
    return (await server().request('GET', path, { as: 'admin' })).data;
  };

  it('stores rows of CSV, with quotes, empty cells and apostrophes of exports', async () => {
    const text = 'title,pages,isbn,note\r\n"a, ""b""",1,c1,\r\n\'=sum,2,,""\n"two\nlines",3,c3,plain\n';
    expect(await load(text)).toMatchObject({
      status: 200,
      body: { imported: 3, rejected: 0, rejected_rows: null },
      progress: 100,
    });
    expect(await books({ pages: { _in: [1, 2, 3] } })).toEqual([
      { title: 'a, "b"', pages: 1, isbn: 'c1', note: null },
      { title: '=sum', pages: 2, isbn: null, note: '' },
      { title: 'two\nlines', pages: 3, isbn: 'c3', note: 'plain' },
    ]);
  });

  it('stores rows of JSON and of NDJSON, with related rows', async () => {
    const json =
      '[{"title":"j1","pages":11,"pages_of":[{"text":"p"},{"text":"q"}]},\n {"title":"j2","pages":12}]';
    expect(await load(json, '', { type: 'application/json' })).toMatchObject({ body: { imported: 2 } });
    const lines = '{"title":"n1","pages":13}\n\n{"title":"n2","pages":14}';
    expect(await load(lines, '', { type: 'application/x-ndjson' })).toMatchObject({ body: { imported: 2 } });
    expect(await books({ pages: { _between: [11, 14] } }, 'title,pages_of.text')).toEqual([
      { title: 'j1', pages_of: [{ text: 'p' }, { text: 'q' }] },
      ...['j2', 'n1', 'n2'].map((title) => ({ title, pages_of: [] })),
    ]);
  });

  it('stores lists of texts as exports of CSV print them, and as texts with commas', async () => {
    const labels = [
      { id: 1, words: ['red', '"big"'], array: ['x', "'z"], flag: ['a', 'b'] },
      { id: 2, words: [], array: [], flag: [] },
      { id: 3, words: ['[odd'], array: null, flag: ['b'] },
    ];
    const read = async () => (await server().request('GET', '/items/label?sort=id', { as: 'admin' })).data;
    expect((await server().request('POST', '/items/label', { as: 'admin', body: labels })).status).toBe(200);
    const before = await read();
    const { text } = await server().request('GET', '/items/label?sort=id&export=csv', { as: 'admin' });
    const again = '/items/label/import?on_conflict=update';
    const send = (raw: string) => submit(server(), again, { as: 'admin', raw, type: 'text/csv' });
    expect(await endOf(server(), await send(text), 'admin')).toMatchObject({ body: { imported: 3 } });
    expect(await read()).toEqual(before);
    await endOf(server(), await send('id,words\n2,"red,big"\n'), 'admin');
    expect(await read()).toMatchObject([{}, { words: ['red', 'big'] }, {}]);
  });

  it('maps columns to fields, leaves columns out, and reads other delimiters', async () => {
    const mapping = encodeURIComponent('{"Name":"title","Number":"pages","Secret":null}');
    const query = `?mapping=${mapping}&delimiter=;`;
    expect(await load('Name;Number;Secret\nmapped;21;x\n', query)).toMatchObject({ body: { imported: 1 } });
    expect(await books({ pages: { _eq: 21 } })).toMatchObject([{ title: 'mapped', note: null }]);
    const { body } = await load('Name;Number\n;22\nmapped;x\n', `${query}&on_error=report`);
    const [, ...rejected] = (await fileOf(body.rejected_rows)).trimEnd().split('\n');
    expect(rejected.map((line) => line.split(',').slice(0, 3).join())).toEqual([
      '1,2,"Name"',
      '2,3,"Number"',
    ]);
  });

  it('stops at the first row that cannot be stored and keeps the rows before it', async () => {
    const invalid = 'title,pages\nx1,31\nx2,many\nx3,33\n';
    expect(await load(invalid)).toMatchObject({
      status: 400,
      body: { imported: 1, detail: [{ loc: ['file', '3', 'pages'], type: 'FAILED_VALIDATION' }] },
    });
    const taken = 'title,pages,isbn\nx4,34,s1\nx5,35,s2\nx6,36,s1\nx7,37,s3\n';
    expect(await load(taken)).toMatchObject({
      status: 400,
      body: { imported: 2, detail: [{ loc: ['file', '4', 'isbn'], type: 'RECORD_NOT_UNIQUE' }] },
    });
    expect(await books({ pages: { _between: [31, 39] } }, 'title')).toEqual(
      ['x1', 'x4', 'x5'].map((title) => ({ title })),
    );
  });

  it('reports the rows that cannot be stored, and stores the others', async () => {
    const rows = Array.from({ length: 30 }, (_, index) => `r${index},${100 + index},`);
    rows[3] = 'r3,=1+1,';
    rows[7] = 'r7,107,r';
    rows[20] = 'r20,120,r';
    rows[25] = ',125,';
    rows[28] = 'r28,128,,extra';
    const ended = await load(`title,pages,isbn\n${rows.join('\n')}`, '?on_error=report');
    expect(ended).toMatchObject({ status: 200, body: { imported: 26, rejected: 4 } });
    const [header, ...lines] = (await fileOf(ended.body.rejected_rows)).trimEnd().split('\n');
    expect(header).toBe('"row","line","column","code","error"');
    expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual([
      '4,5,"pages","FAILED_VALIDATION"',
      '21,22,"isbn","RECORD_NOT_UNIQUE"',
      '26,27,"title","FAILED_VALIDATION"',
      '29,30,,"INVALID_PAYLOAD"',
    ]);
    expect(await books({ pages: { _between: [100, 130] } })).toHaveLength(26);
  });

  it.each([
    {
      type: 'application/x-ndjson',
      text: '{"title":"o1","pages":201}\n{"title":"o2","pages":"x"}\n\n[1]\n{"pages":204}\n{"title":"o5","isbn":"ö","pages_of":[{"text":7}]}\n{"title":"o6","isbn":"ö"}',
      problems: [
        '2,2,"pages","FAILED_VALIDATION"',
        '3,4,,"INVALID_PAYLOAD"',
        '4,5,"title","FAILED_VALIDATION"',
        '5,6,"pages_of.text","FAILED_VALIDATION"',
      ],
      stored: ['o1', 'o6'],
    },
    {
      type: 'application/json',
      text: '[{"title":"q1","pages":301},\n{"title":"q2","pages":1.5},\n\n{"title":}, {"title":"q4","isbn":"ü"},\n{"title":"q5",\n"isbn":"ü"},{"title":"q6","colour":"red"}]',
      problems: [
        '2,2,"pages","FAILED_VALIDATION"',
        '3,4,,"INVALID_PAYLOAD"',
        '5,5,"isbn","RECORD_NOT_UNIQUE"',
        '6,6,,"INVALID_PAYLOAD"',
      ],
      stored: ['q1', 'q4'],
    },
  ])(
    'reports the rows of $type that cannot be stored by their numbers and lines',
    async ({ type, text, problems, stored }) => {
      const ended = await load(text, '?on_error=report', { type });
      const lines = (await fileOf(ended.body.rejected_rows)).trimEnd().split('\n').slice(1);
      expect(lines.map((line) => line.split(',').slice(0, 4).join())).toEqual(problems);
      expect(ended).toMatchObject({ status: 200, body: { imported: 2, rejected: problems.length } });
      expect(await books({ title: { _in: stored } }, 'title')).toEqual(stored.map((title) => ({ title })));
      // the first of them ends an import that stops
      const again = text.replaceAll(/"(?=[oq]\d")/g, '"again ');
      expect(await load(again, '', { type })).toMatchObject({
        status: 400,
        body: { imported: 1, detail: [{ loc: ['file', '2', 'pages'], type: 'FAILED_VALIDATION' }] },
      });
    },
  );

  it('changes or ignores stored rows with on_conflict', async () => {
    await load('title,pages,isbn\nu1,81,u1\nu2,82,u2\n');
    const again = 'title,pages,isbn\nnew,81,u1\nu3,83,u3\n';
    expect(await load(again, '?on_conflict=update&conflict=isbn')).toMatchObject({ body: { imported: 2 } });
    expect(await load('title,isbn\nlast,u3\n', '?on_conflict=ignore&conflict=isbn')).toMatchObject({
      body: { imported: 1 },
    });
    expect(await books({ pages: { _between: [81, 83] } }, 'title,isbn')).toEqual([
      { title: 'new', isbn: 'u1' },
      { title: 'u2', isbn: 'u2' },
      { title: 'u3', isbn: 'u3' },
    ]);
  });

  it('ends with a parameter that fits no row, and reports no row for it', async () => {
    const unfit = '?on_error=report&on_conflict=update&conflict=title';
    expect(await load('title,isbn\nv1,v1\nv2,v2\n', unfit)).toMatchObject({
      status: 400,
      body: { imported: 0, rejected: 0, detail: [{ loc: ['file'], type: 'INVALID_QUERY' }] },
    });
  });

  it('reports the position of text that does not fit its format', async () => {
    expect(await load('title\n"open', '?on_error=report')).toMatchObject({
      status: 400,
      body: { imported: 0, detail: [{ type: 'INVALID_PAYLOAD' }] },
    });
    const cut = '[{"title":"k1","pages":41},\n{"title":';
    expect(await load(cut, '', { type: 'application/json' })).toMatchObject({
      status: 400,
      body: { imported: 1, detail: [{ loc: ['file', '2'], type: 'INVALID_PAYLOAD' }] },
    });
    const quoted = 'title,pages\nk2,42\n"k3"x,43\nk4,44\n';
    expect(await load(quoted)).toMatchObject({
      status: 400,
      body: { imported: 1, detail: [{ loc: ['file', '3'], type: 'INVALID_PAYLOAD' }] },
    });
  });

  it('stores nothing in a dry run and counts the rows', async () => {
    expect(await load('title,pages\nd1,51\nd2,x\nd3,53\n', '?dry_run=true&on_error=report')).toMatchObject({
      status: 200,
      body: { dry_run: true, imported: 0, rows: 2, rejected: 1 },
    });
    expect(await books({ pages: { _between: [51, 53] } })).toEqual([]);
  });

  it('applies the permissions of the submitter', async () => {
    expect(await load('title,pages\nw1,61\n', '', { as: 'clerk' })).toMatchObject({ body: { imported: 1 } });
    expect(await books({ pages: { _eq: 61 } })).toMatchObject([{ title: 'w1', note: 'by clerk' }]);
    expect(await load('title,isbn\nw2,w\n', '', { as: 'clerk' })).toMatchObject({
      status: 403,
      body: { imported: 0, detail: [{ type: 'FORBIDDEN' }] },
    });
    expect(await refused('/items/book/import', 'reader')).toBe(403);
    expect(await refused('/items/page/import', 'clerk')).toBe(403);
    expect(await refused('/items/nothing/import', 'admin')).toBe(403);
    expect(await refused('/items/book/import')).toBe(403);
    expect(await refused('/queue/svc/import', 'admin')).toBe(404);
  });

  it('rejects all invalid options at once, and files of other types', async () => {
    const query = '?mapping=[]&delimiter=ab&on_error=never&dry_run=yes&format=xls';
    const { status, errors } = await server().request('POST', `/items/book/import${query}`, {
      as: 'admin',
      raw: 'x',
      headers: csv,
    });
    expect({ status, count: errors.length }).toEqual({ status: 400, count: 5 });
    const image = { as: 'admin', raw: 'x', headers: { 'content-type': 'image/png' } };
    expect((await server().request('POST', '/items/book/import', image)).codes).toEqual([
      'UNSUPPORTED_MEDIA_TYPE',
    ]);
  });

  it('keeps no part of a file that cannot be received', async () => {
    const { codes } = await server().request('POST', '/items/book/import', {
      as: 'admin',
      raw: 'no gzip',
      headers: { ...csv, 'content-encoding': 'gzip' },
    });
    expect(codes).toEqual(['INVALID_PAYLOAD']);
    expect(await readdir(join(files, '.spool'))).toEqual([]);
  });

  it('refuses an export whose query is beside "query", since it would write the whole list', async () => {
    const body = { format: 'csv', filter: { pages: { _eq: 1 } } };
    const answer = await server().request('POST', '/items/book/export', { as: 'admin', body });
    expect([answer.status, answer.codes]).toEqual([400, ['INVALID_QUERY']]);
    expect(answer.text).toContain('is a part of');
  });

  it('exports a list into a file, limited to what its submitter may read', async () => {
    const send = async (body: object, as: string) =>
      endOf(server(), await submit(server(), '/items/book/export', { as, body }), as);
    await load('title,pages\nz1,71\nz2,72\n');
    const query = { fields: ['title', 'pages'], filter: { pages: { _in: [71, 72] } }, sort: ['id'] };
    const ended = await send({ format: 'csv', query }, 'admin');
    expect(ended).toMatchObject({ status: 200, progress: 100, body: { rows: 2 } });
    expect(await fileOf(ended.body.file)).toBe('"title","pages"\n"z1",71\n"z2",72');
    const own = await send({ format: 'json', query: { filter: { title: 'z1' } } }, 'clerk');
    expect(Object.keys(JSON.parse(await fileOf(own.body.file))[0])).toEqual(['id', 'title']);
    expect(await send({ format: 'json', query }, 'clerk')).toMatchObject({ status: 403 });
    const wrong = await server().request('POST', '/items/book/export', {
      as: 'admin',
      body: { format: 'doc', query: [] },
    });
    expect(wrong).toMatchObject({ status: 400, codes: ['INVALID_QUERY', 'INVALID_QUERY'] });
  });

  it('counts the files of a transfer for the quotas of its submitter', async () => {
    const submitted = await submit(server(), '/items/book/export', { as: 'admin', body: { format: 'csv' } });
    await endOf(server(), submitted, 'admin');
    const rows = await server().database.query('select files from svc_requests where id = ?', [submitted.id]);
    expect(rows.map(({ files }) => Number(files))).toEqual([1]);
  });
});
