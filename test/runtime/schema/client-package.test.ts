/** The client that a server offers: npm installs it, and the compiler names what a change of the schema breaks. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compilerPath } from '../../compiler.js';
import { adminToken } from '../harness/rows.js';
import { tinyScript } from './edits.js';
import { createPlace, type Place } from './places.js';
import { removeHosts, startHost, type Host } from './running-host.js';

const run = promisify(execFile);

let place: Place;
let host: Host;
let folder: string;
beforeAll(async () => {
  place = await createPlace('sqlite', tinyScript('sqlite'));
  host = await startHost(place, { workers: 1 });
  folder = mkdtempSync(join(tmpdir(), 'svc-client-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
}, 120_000);
afterAll(async () => {
  removeHosts();
  rmSync(folder, { recursive: true, force: true });
  await place.drop();
});

const program = `
import { createClient } from 'content-api-client';
const api = createClient({ url: '', token: '' });
export const codes = (await api.items('boxes').list({ fields: ['id', 'code'] })).map(({ code }) => code.length);
`;

/** Installs the client as a developer does, and returns what the compiler says about the program. */
const compile = async (): Promise<string> => {
  const url = `${host.base}/server/sdk.tgz?access_token=${adminToken}`;
  await run('npm', ['install', '--no-audit', '--no-fund', url], { cwd: folder });
  writeFileSync(join(folder, 'program.ts'), program);
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  return run(process.execPath, [compilerPath, ...flags, 'program.ts'], { cwd: folder }).then(
    () => '',
    ({ stdout }: { readonly stdout: string }) => stdout,
  );
};

it(
  'is installed by npm, and after an apply its types are those of the new schema',
  { timeout: 240_000 },
  async () => {
    expect(await compile()).toBe('');

    const before = await place.snapshot();
    const fields = before.fields.map((entry) =>
      entry.collection === 'boxes' && entry.field === 'code' && entry.schema !== undefined
        ? {
            ...entry,
            field: 'label',
            meta: { previous_name: 'code' },
            schema: { ...entry.schema, name: 'label' },
          }
        : entry,
    );
    const { body } = await host.request('/schema/diff', 'POST', { ...before, fields });
    const { hash, diff } = (body as { data: { hash: string; diff: unknown } }).data;
    expect((await host.request('/schema/apply', 'POST', { hash, diff })).status).toBe(204);

    expect(await compile()).toMatch(/^program\.ts\(4,.*"code"/m);
  },
);

it('is for administrators', async () => {
  const answer = await fetch(`${host.base}/server/sdk.tgz`);
  expect([answer.status, await answer.json()]).toMatchObject([
    403,
    { errors: [{ extensions: { code: 'FORBIDDEN' } }] },
  ]);
});
