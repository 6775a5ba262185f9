/** Which changes of a project `svc dev` notices. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { watchFolders } from '../../runtime/dev/watch.js';
import { until } from '../until.js';

it('follows folders that are created or replaced after its start', async () => {
  const models = join(mkdtempSync(join(tmpdir(), 'svc-watch-')), 'models');
  const file = join(models, 'shout.ts');
  const seen: string[] = [];
  const unwatch = watchFolders([models], (files) => seen.push(...files));
  const untilSeen = (name: string) => until(() => seen.includes(name) || null);
  mkdirSync(models);
  await untilSeen(models);
  writeFileSync(file, 'export {};');
  await untilSeen(file);
  rmSync(models, { recursive: true });
  mkdirSync(models);
  seen.length = 0;
  await untilSeen(models);
  seen.length = 0;
  writeFileSync(file, 'export {};');
  await untilSeen(file);
  expect(seen).toEqual(expect.arrayContaining([file]));
  unwatch();
});
