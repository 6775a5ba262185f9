/** Faults of the variables that say how the database is reached are reported before anything connects. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../runtime/config/config.js';

it.each([
  ['postgres://u:p@h/d?sslmod=require', 'a parameter that is not known; expected sslmode or host'],
  ['postgresql://u:p@h/d?ssl=true', 'a parameter that is not known; expected sslmode or host'],
  [
    'postgres://u:p@h/d?sslmode=verify',
    'an unknown value of "sslmode"; expected one of disable, require, verify-ca, verify-full',
  ],
  ['mysql://u:p@h/d?sslmode=require', 'a parameter that is not known; expected ssl or socket'],
  ['mysql://u:p@h/d?ssl=yes', 'an unknown value of "ssl"; expected one of true, false, no-verify'],
  ['mysql://u:100%@h/d', 'a "%" without two hexadecimal digits of UTF-8 after it; write it as %25'],
])('DATABASE_URL=%s is refused', (DATABASE_URL, fault) => {
  expect(() => loadConfig({ DATABASE_URL })).toThrow(`\n  DATABASE_URL has ${fault}`);
});

it.each([
  'postgres://u:p%25@h/d?sslmode=verify-full',
  'postgresql://u@localhost/d?host=/run/postgresql',
  'mysql://u:p@h/d?ssl=no-verify',
  'mysql://u:p@h/d?socket=/run/mysqld/mysqld.sock',
])('DATABASE_URL=%s is accepted', (url) => {
  expect(loadConfig({ DATABASE_URL: url }).database.url).toBe(url);
});

it('DATABASE_CA has to hold certificates', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-ca-'));
  const path = join(folder, 'key.pem');
  writeFileSync(path, '-----BEGIN PRIVATE KEY-----\n');
  for (const DATABASE_CA of [path, join(folder, 'absent.pem')])
    expect(() => loadConfig({ DATABASE_CA })).toThrow('expected certificates as PEM text');
  rmSync(folder, { recursive: true });
});
