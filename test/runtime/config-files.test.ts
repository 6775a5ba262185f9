/** Configuration that comes from files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../runtime/config/config.js';
import { loadEnvironment } from '../../runtime/config/environment.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('reads a secret from a file and rejects one that is given twice', () => {
  const file = join(folder, 'token');
  writeFileSync(file, 'from-a-file\n');
  expect(loadConfig({ ADMIN_TOKEN_FILE: file }).admin.token).toBe('from-a-file');
  expect(() => loadConfig({ ADMIN_TOKEN: 'from-elsewhere', ADMIN_TOKEN_FILE: file })).toThrow(
    'ADMIN_TOKEN is set twice, also as ADMIN_TOKEN_FILE; keep one',
  );
  expect(() => loadConfig({ DATABASE_URL_FILE: '/nowhere' })).toThrow(
    'DATABASE_URL cannot be read from the file "/nowhere" of DATABASE_URL_FILE',
  );
});

it('reads .env without overriding variables', () => {
  writeFileSync(join(folder, '.env'), 'SVC_TEST_ABSENT=file\nSVC_TEST_PRESENT=file\n');
  process.env.SVC_TEST_PRESENT = 'set';
  const environment = loadEnvironment(folder);
  expect(environment).toMatchObject({ SVC_TEST_ABSENT: 'file', SVC_TEST_PRESENT: 'set' });
  delete process.env.SVC_TEST_ABSENT;
  delete process.env.SVC_TEST_PRESENT;
});
