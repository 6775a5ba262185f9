/** Files that `svc export` writes, where a file is no file. */
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { requireWritable, writeWhole } from '../../../runtime/commands/transfers/files.js';

it('a pipe or a device is written to, and not replaced by a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-written-'));
  const pipe = join(folder, 'rows.csv');
  execFileSync('mkfifo', [pipe]);
  await requireWritable(pipe);
  const [read] = await Promise.all([readFile(pipe, 'utf8'), writeWhole(Readable.from(['a,b\n']), pipe)]);
  expect(read).toBe('a,b\n');
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  expect(readdirSync(folder)).toEqual(['rows.csv']);
  rmSync(folder, { recursive: true });
});
