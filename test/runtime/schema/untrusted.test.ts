/** Snapshots and differences from clients are refused if they have keys of prototypes, aliases of YAML, or too much of anything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Difference } from '../../../runtime/schema/service.js';
import { adminToken, sampleSettings, startTestServer, type TestServer } from '../server-harness.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { copyField, edited, field } from './edits.js';

const tables = 'create table product (id integer not null primary key, title varchar(40));';

describe.each(sampleSettings(import.meta.url))('on $dialect through $listener', (setting) => {
  let server: TestServer;
  let snapshot: Snapshot;
  let difference: Difference;
  beforeAll(async () => {
    const environment = { MAX_PAYLOAD_SIZE: '20kb', SCHEMA_MAX_SIZE: '200kb' };
    server = await startTestServer({ ...setting, sql: tables, environment });
    snapshot = (await server.request('GET', '/schema/snapshot', { as: 'admin' })).data as Snapshot;
    const body = edited(snapshot, (each) => {
      each.fields.push(copyField(field(each, 'product', 'title'), 'colour', {}));
    });
    difference = (await server.request('POST', '/schema/diff', { as: 'admin', body })).data as Difference;
  });
  afterAll(() => server.close());

  const send = (path: string, raw: string) =>
    server.request('POST', path, { as: 'admin', raw, headers: { 'content-type': 'application/json' } });

  /** Returns a snapshot that is larger than a number of kilobytes. */
  const sized = (count: number): string => JSON.stringify({ ...snapshot, note: 'x'.repeat(count * 1024) });

  /** Sends a file of a form. */
  const upload = async (text: string, name = 'schema.yaml'): Promise<{ status: number; text: string }> => {
    const form = new FormData();
    form.set('file', new Blob([text]), name);
    const response = await fetch(`${server.url}/schema/diff`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}` },
      body: form,
    });
    return { status: response.status, text: await response.text() };
  };

  const expectUnchanged = async (): Promise<void> => {
    expect((await server.request('GET', '/schema/snapshot', { as: 'admin' })).data).toEqual(snapshot);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  };

  it.each(['__proto__', 'constructor', 'prototype'])('the key %s is refused at every place', async (key) => {
    const hostile = `"${key}":{"polluted":true}`;
    const { hash, diff } = difference;
    const bodies = [
      ['/schema/diff', `{${hostile},${JSON.stringify(snapshot).slice(1)}`],
      ['/schema/diff', JSON.stringify(snapshot).replace('"meta":null', `"meta":{${hostile}}`)],
      ['/schema/apply', `{"hash":"${hash}","diff":{${hostile},${JSON.stringify(diff).slice(1)}}`],
      ['/schema/apply', JSON.stringify({ hash, diff }).replace('"schema":{', `"schema":{${hostile},`)],
    ] as const;
    for (const [path, body] of bodies) {
      expect(body).toContain(hostile);
      const { status, text } = await send(path, body);
      expect([path, status]).toEqual([path, 400]);
      expect(text).toContain(`${key}\\" is not allowed as a key`);
    }
    const { status, text } = await upload(`${key}:\n  polluted: true\ncollections: []\n`);
    expect(status).toBe(400);
    expect(text).toContain(key);
    await expectUnchanged();
  });

  it.each(['__proto__', 'constructor'])('a path with %s is refused', async (key) => {
    const [entry] = difference.diff.fields;
    const change = { kind: 'E', path: ['schema', key, 'polluted'], lhs: null, rhs: true };
    const diff = { ...difference.diff, fields: [{ ...entry, field: 'title', diff: [change] }] };
    const { status } = await send('/schema/apply', JSON.stringify({ hash: difference.hash, diff }));
    expect(status).toBe(400);
    await expectUnchanged();
  });

  it('what cannot be parsed is reported with its place', async () => {
    expect(await upload('version: 1\ncollections: [\nfields: []\n')).toMatchObject({
      status: 400,
      text: expect.stringContaining('neither JSON nor YAML at line 3, column 1: ') as string,
    });
  });

  it('aliases of YAML, deep nesting and NUL characters are refused', async () => {
    const aliases = 'a: &a [x, x]\nb: &b [*a, *a]\ncollections: [*b, *b]\n';
    expect(await upload(aliases)).toMatchObject({
      status: 400,
      text: expect.stringContaining('the file has aliases') as string,
    });
    const depth = 2_000;
    const deep = `{"collections":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect((await upload(deep, 'schema.json')).status).toBe(400);
    expect((await send('/schema/diff', deep)).status).toBe(400);
    expect((await upload(`collections: ${'['.repeat(depth)}${']'.repeat(depth)}`)).status).toBe(400);
    const zero = JSON.stringify(difference).replace('"colour"', String.raw`"col\u0000our"`);
    expect(await send('/schema/apply', zero)).toMatchObject({
      status: 400,
      text: expect.stringContaining('must not hold NUL') as string,
    });
    await expectUnchanged();
  });

  it('a document may be larger than other bodies, up to SCHEMA_MAX_SIZE', async () => {
    for (const path of ['/schema/diff', '/schema/apply']) {
      const tooLarge = await send(path, sized(201));
      expect([path, tooLarge.status, tooLarge.codes]).toEqual([path, 413, ['CONTENT_TOO_LARGE']]);
      const large = await send(path, sized(190));
      expect([path, large.status]).toEqual([path, 400]);
      expect(large.text).not.toContain('CONTENT_TOO_LARGE');
    }
    expect((await upload(sized(201), 'schema.json')).status).toBe(413);
    const other = await server.request('POST', '/items/product', {
      as: 'admin',
      body: { id: 1, title: 'x'.repeat(30 * 1024) },
    });
    expect(other.status).toBe(413);
    await expectUnchanged();
  });
});
