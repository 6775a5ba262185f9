/** Files of results: a signed URL is the only authorization, and only until it expires. */
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { respondFile } from '../../runtime/queue/http/public-routes.js';
import { signFile, type FileStore } from '../../runtime/queue/requests/files.js';
import type { QueueSettings } from '../../runtime/queue/settings.js';
import { createId } from '../../runtime/queue/store/ids.js';
import type { ApiRequest } from '../../runtime/request/api-request.js';

const secret = Buffer.from('secret of the test');
const settings = { secrets: [secret] } as unknown as QueueSettings;
const files = {
  read: async () => ({ stream: Readable.from(['bytes']), size: 5 }),
} as unknown as FileStore;
const request = createId();
const name = 'picture.png';
const now = Date.UTC(2026, 0, 1);
const expires = now / 1000 + 60;

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => void vi.restoreAllMocks());

interface Changes {
  readonly name?: string;
  readonly expires?: number;
  readonly secret?: Buffer;
}

/** Requests the file by the URL that is signed for it, with changes of the URL or of the key. */
const read = (changes: Changes = {}) => {
  const url = new URL(signFile({ request, name, expires }, changes.secret ?? secret), 'http://host');
  if (changes.expires !== undefined) url.searchParams.set('expires', String(changes.expires));
  const query = url.search.slice(1);
  return respondFile({ query } as ApiRequest, [request, changes.name ?? name], { files, settings });
};

it('are returned with their size, and cannot run scripts', async () => {
  expect(await read()).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'image/png',
      'content-length': '5',
      'content-security-policy': "default-src 'none'; sandbox",
    },
  });
});

it('are not returned after their URL has expired', async () => {
  vi.mocked(Date.now).mockReturnValue(expires * 1000 - 1);
  expect((await read()).status).toBe(200);
  vi.mocked(Date.now).mockReturnValue(expires * 1000);
  await expect(read()).rejects.toMatchObject({ status: 404 });
});

it.each<[string, Changes]>([
  ['a later expiry', { expires: expires + 1 }],
  ['another file', { name: 'other.png' }],
  ['another key', { secret: Buffer.from('another secret') }],
])('are not returned for a URL with %s', async (_, changes) => {
  await expect(read(changes)).rejects.toMatchObject({ status: 404 });
});
