import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { packageRoot } from '../../../runtime/config/package.js';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

it('a download reports the missing development package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-download-'));
  folders.push(folder);
  const program = join(folder, 'temporal-download.mjs');
  copyFileSync(join(packageRoot, 'dist', 'runtime', 'demo', 'temporal-download.js'), program);
  const child = fork(program, [folder, 'v1.5.1'], { execArgv: [] });
  const [message] = (await once(child, 'message')) as unknown[];
  const [code] = (await once(child, 'exit')) as unknown[];
  expect(message).toBe('the download failed: @temporalio/testing is not installed');
  expect(code).toBe(1);
});
