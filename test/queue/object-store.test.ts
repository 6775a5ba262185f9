/**
 * Files of models in an S3-compatible store: a server of our own that verifies signatures, and under `LONG=1` a real one
 * as well, built by Go.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseObjectStore } from '../../runtime/config/object-store.js';
import type { FileStore } from '../../runtime/queue/requests/files.js';
import { checkObjectStore, createObjectStore } from '../../runtime/queue/requests/object-store.js';
import { createId } from '../../runtime/queue/store/ids.js';
import { startObjectStore, type TestObjectStore } from '../services/object-store.js';
import { startTestQueue, type TestQueue } from './harness.js';
import { until } from '../until.js';
import { startOwnObjectStore, type OwnObjectStore } from './own-object-store.js';

const servers: readonly (readonly [string, () => Promise<TestObjectStore>])[] = [
  ['our own server', startOwnObjectStore],
  ...(process.env.LONG === '1' ? ([['versitygw', startObjectStore]] as const) : []),
];

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe.each(servers)('files in %s', (_, startStore) => {
  let server: TestObjectStore;
  let files: FileStore;
  let spool: string;

  beforeAll(async () => {
    server = await startStore();
    spool = await mkdtemp(join(tmpdir(), 'svc-spool-'));
    await mkdir(spool, { recursive: true });
    files = createObjectStore(parseObjectStore(server.url), spool);
  });
  afterAll(async () => {
    await server.stop();
    await rm(spool, { recursive: true });
  });

  const store = async (request: string, name: string, content: string): Promise<number> => {
    const spooled = createId();
    await writeFile(join(spool, spooled), content);
    return files.adopt({ request, name, spooled });
  };

  it('are stored with their length, read again, and leave the spool folder', async () => {
    const request = createId();
    expect(await store(request, 'note.txt', 'größe')).toBe(7);
    expect(await readdir(spool)).toEqual([]);
    const found = await files.read(request, 'note.txt');
    expect(found?.size).toBe(7);
    expect(found && (await text(found.stream))).toBe('größe');
    expect(await files.read(request, 'other.txt')).toBeNull();
  });

  it('are read from a byte on, up to their end', async () => {
    const request = createId();
    await store(request, 'note.txt', 'größe');
    for (const [start, rest, size] of [
      [4, 'ße', 3],
      [7, '', 0],
    ] as const) {
      const found = await files.read(request, 'note.txt', start);
      expect([start, found?.size, found && (await text(found.stream))]).toEqual([start, size, rest]);
    }
  });

  it('have URLs that the store itself answers, for what was signed only', async () => {
    const request = createId();
    await store(request, 'data.json', '{"good":true}');
    const url = (await files.sign?.({ request, name: 'data.json', expires: inSeconds(60) })) ?? '';
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await answer.json()).toEqual({ good: true });
    for (const changed of [
      url.replace('data.json', 'other.json'),
      url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=600'),
      url.split('?')[0] ?? '',
    ])
      expect([changed, (await fetch(changed)).status]).toEqual([changed, 403]);
  });

  it('have URLs that expire', async () => {
    const request = createId();
    await store(request, 'note.txt', 'a');
    const url = (await files.sign?.({ request, name: 'note.txt', expires: inSeconds(1) })) ?? '';
    expect(await until(async () => (await fetch(url)).status === 403)).toBe(true);
  });

  it('have URLs that are valid for a week at most, the longest that stores accept', async () => {
    const request = createId();
    await store(request, 'note.txt', 'a');
    const url = (await files.sign?.({ request, name: 'note.txt', expires: inSeconds(30 * 86_400) })) ?? '';
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('604800');
    expect((await fetch(url)).status).toBe(200);
  });

  it('are removed when they are old, over several pages', async () => {
    const [first, second] = [createId(), createId()];
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await store(first, name, name);
    await store(second, 'd.txt', 'd');
    expect(await files.removeBefore(Date.now() - 3_600_000)).toBe(0);
    expect(await files.removeBefore(Date.now() + 3_600_000)).toBeGreaterThanOrEqual(2);
    expect(await files.read(first, 'c.txt')).toBeNull();
    expect(await files.read(second, 'd.txt')).toBeNull();
  });

  it('are checked before a worker starts, with messages that omit the secret', async () => {
    expect(await checkObjectStore(parseObjectStore(server.url))).toBeNull();
    const other = { ...parseObjectStore(server.url), secretAccessKey: 'wrong' };
    expect(await checkObjectStore(other)).toBe(
      'QUEUE_FILES_URL: files of models cannot be stored: the store of files answers 403 (SignatureDoesNotMatch); ' +
        'correct the address, or the rights of its key',
    );
  });
});

describe('a store that fails', () => {
  let server: OwnObjectStore;

  beforeAll(async () => {
    server = await startOwnObjectStore();
  });
  afterAll(() => server.stop());

  const open = () => createObjectStore(parseObjectStore(server.url), tmpdir());

  it('is retried, unless it refuses', async () => {
    server.failures.push(503, 500);
    expect(await open().read(createId(), 'a.txt')).toBeNull();
    server.failures.push(429);
    expect(await open().read(createId(), 'a.txt')).toBeNull();
    server.failures.push(503, 503, 503);
    await expect(open().read(createId(), 'a.txt')).rejects.toThrow(
      'the store of files answers 503 (SlowDown)',
    );
    server.failures.push(403);
    await expect(open().read(createId(), 'a.txt')).rejects.toThrow('answers 403 (AccessDenied)');
    expect(server.failures).toEqual([]);
  });

  it('that cannot be reached is reported without its address', async () => {
    const address = parseObjectStore('http://key:secret@127.0.0.1:1/files');
    expect(await checkObjectStore(address)).toContain('the store of files cannot be reached (');
    expect(await checkObjectStore(address)).not.toMatch(/secret|127/);
  });
});

describe('the queue', () => {
  let server: OwnObjectStore;
  let queue: TestQueue;

  beforeAll(async () => {
    server = await startOwnObjectStore();
    queue = await startTestQueue('sqlite', { environment: { QUEUE_FILES_URL: server.url } });
    // as on another machine: a folder of its own
    const filesDir = await mkdtemp(join(tmpdir(), 'svc-machine-'));
    await queue.startWorkers({ settings: { ...queue.settings, filesDir } });
  });
  afterAll(async () => {
    await queue.close();
    await server.stop();
  });

  it('answers with URLs of the store, also for files of other machines', async () => {
    const body = { prompt: 'sea', width: 16, height: 16 };
    const { headers } = { headers: queue.auth.ann };
    const answer = await queue.request('POST', '/queue/demo/image', { body, headers });
    const id = (answer.body as { request_id: string }).request_id;
    const result = await until(async () => {
      const found = await queue.request('GET', `/queue/demo/image/requests/${id}`, { headers });
      return found.status === 200 ? (found.body as { images: { url: string; file_size: number }[] }) : null;
    });
    const [image] = result.images;
    expect(image?.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/files\/some\/folder\/.*X-Amz-Signature=/);
    const picture = await fetch(image?.url ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect((await picture.arrayBuffer()).byteLength).toBe(image?.file_size);
    const run = await queue.request('POST', '/run/demo/image', { body, headers });
    expect((run.body as { images: { url: string }[] }).images[0]?.url).toContain('X-Amz-Signature=');
  });
});
