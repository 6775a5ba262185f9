/** Every format of an export: as an answer and as a request of the queue, of many-to-any relations and of system lists. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { exportFormats, type ExportFormat } from '../../../contract/export-formats.js';
import { formats } from '../../../runtime/response/export/formats.js';
import { access, meta, sqlOf, uuid } from '../behaviour/many-to-any.js';
import { useServer } from '../harness/use-server.js';
import { adminToken, settingsOf } from '../server-harness.js';
import { endOf, submit } from './transfers.js';

const settings = settingsOf(import.meta.url);

const files = await mkdtemp(join(tmpdir(), 'svc-exports-'));

/** Reads the rows of a file whose format keeps their types; null for the others. */
const rowsOf = (format: ExportFormat, text: string): unknown => {
  if (format === 'json') return JSON.parse(text);
  if (format === 'yaml') return load(text);
  if (format !== 'ndjson') return null;
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
};

/** The bytes as text: `Response.text` would take the byte order mark away. */
const bytesOf = async (response: Response): Promise<string> =>
  Buffer.from(await response.arrayBuffer()).toString();

const structured: ReadonlySet<ExportFormat> = new Set(['json', 'ndjson', 'yaml']);

describe.each(settings)('exports of $dialect through $listener', (setting) => {
  const server = useServer({
    ...setting,
    sql: sqlOf(setting.dialect),
    meta,
    access: { ...access, roles: { Staff: { policies: [] } } },
    environment: { QUEUE_FILES_DIR: files },
  });
  const fields = [
    'id',
    'kind',
    'item:note.heading',
    'item:note.remarks.text',
    'item:quote.source',
    'item:tag.weight',
  ];
  const list = `/items/block?fields=${fields.join()}&sort=id&limit=-1`;
  const get = async (path: string, as = 'admin') => server().request('GET', path, { as });
  const download = async (path: string): Promise<string> =>
    bytesOf(await fetch(server().url + path, { headers: { authorization: `Bearer ${adminToken}` } }));
  const queued = async (format: ExportFormat, as: string): Promise<string> => {
    const body = { format, query: { fields, sort: ['id'], limit: -1 } };
    const { status, body: result } = await endOf(
      server(),
      await submit(server(), '/items/block/export', { as, body }),
      as,
    );
    expect(status).toBe(200);
    return bytesOf(await fetch(result.file.url));
  };

  it.each(exportFormats)('a queued export in %s is the file that the list answers', async (format) => {
    const { data } = await get(list);
    const text = await queued(format, 'admin');
    expect(text).toBe(await download(`${list}&export=${format}`));
    expect(text.startsWith('\uFEFF')).toBe(format === 'csv_utf8');
    expect(rowsOf(format, text)).toEqual(structured.has(format) ? data : null);
  });

  it.each(exportFormats)('a queued export in %s has what its submitter may read', async (format) => {
    const readable = ['id', 'kind', 'item:note.heading', 'item:tag.weight'];
    const body = { format, query: { fields: readable, sort: ['id'], limit: 4 } };
    const { body: result } = await endOf(
      server(),
      await submit(server(), '/items/block/export', { as: 'reader', body }),
      'reader',
    );
    const text = await (await fetch(result.file.url)).text();
    expect(text).toContain('First');
    expect(text).not.toMatch(/Second|Quoted|Ada/);
  });

  it('CSV of a many-to-any relation has a column for each path of any target', async () => {
    const { text } = await get(`${list}&export=csv&filter[page][_eq]=1`);
    expect(text.split('\n')).toEqual([
      '"id","kind","item.heading","item.remarks","item.source","item.weight"',
      expect.stringMatching(/^1,"note","First",".*well.*said.*",,$/),
      '2,"quote",,,"Ada",',
      '3,"tag",,,,5',
      expect.stringMatching(/^4,"note","Second",.*,,$/),
    ]);
  });

  it('keys of a many-to-any relation keep their form', async () => {
    const { text } = await get('/items/block?fields=item&sort=id&limit=3&export=csv');
    expect(text).toBe(`"item"\n"1"\n"${uuid(1)}"\n"red"`);
  });

  it('XML of a many-to-any relation has the fields of each target', async () => {
    const { text } = await get(
      '/items/block?fields=kind,item:tag.weight&filter[kind][_eq]=tag&limit=1&sort=id&export=xml',
    );
    expect(text.replaceAll(/\s+</g, '<')).toBe(
      "<?xml version='1.0'?><data><data><kind>tag</kind><item><weight>5</weight></item></data></data>",
    );
  });

  it.each(exportFormats)('a system list is exported in %s', async (format) => {
    const path = '/roles?fields=name,description&sort=name&filter[name][_eq]=Staff';
    const { data } = await get(path);
    expect(data).toEqual([{ name: 'Staff', description: null }]);
    const answer = await fetch(`${server().url}${path}&export=${format}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="svc_roles /);
    const text = await bytesOf(answer);
    expect(text).toContain('Staff');
    expect(rowsOf(format, text)).toEqual(structured.has(format) ? data : null);
  });

  it.each(exportFormats)('the snapshot of the schema is exported in %s', async (format) => {
    const { data } = await get('/schema/snapshot');
    const answer = await fetch(`${server().url}/schema/snapshot?export=${format}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    const { contentType, extension } = formats[format];
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, contentType]);
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="Export [\\d-]+\\.${extension}"$`),
    );
    const text = await bytesOf(answer);
    expect(text).toContain('block');
    const item = format === 'ndjson' ? [data] : data;
    expect(rowsOf(format, text)).toEqual(structured.has(format) ? item : null);
  });

  it.each(['/fields', '/permissions/me', '/requests', '/operator/models', '/users/me'])(
    'what %s returns is not exported',
    async (path) => {
      const { status, codes } = await get(`${path}?export=csv`);
      expect({ status, codes }).toEqual({ status: 400, codes: ['INVALID_QUERY'] });
    },
  );

  it('a system list is exported under the rights of its reader, with secrets masked', async () => {
    expect((await get('/users?export=csv', 'reader')).codes).toEqual(['FORBIDDEN']);
    const { text } = await get('/users?fields=email,token&export=csv&limit=-1');
    expect(text).toContain('reader@example.com');
    expect(text).toMatch(/"\*+"/);
    expect(text).not.toContain('reader-token');
  });
});
