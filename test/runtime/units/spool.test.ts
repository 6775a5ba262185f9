/** CSV whose columns are known only after the last item: the temporary file it waits in. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { printSpooled } from '../../../runtime/response/export/spool.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-spool-'));
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function* chunksOf(...chunks: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk);
    expect(readdirSync(folder)).toHaveLength(1);
  }
}

async function* failing(): AsyncGenerator<Buffer, void, void> {
  yield* chunksOf('{"a":1}');
  throw new Error('lost');
}

const print = (chunks: AsyncIterable<Buffer>) => printSpooled('csv', chunks, { digits: new Set() });

it('is removed after the last item', async () => {
  const parts: string[] = [];
  for await (const part of print(chunksOf('{"a":1},{"b":2}', '{"a":3}'))) parts.push(String(part));
  expect(parts.join('')).toBe('"a","b"\n1,\n,2\n3,');
  expect(readdirSync(folder)).toEqual([]);
});

it('is removed when its reader leaves early', async () => {
  for await (const _ of print(chunksOf('{"a":1}', '{"a":2}'))) break;
  expect(readdirSync(folder)).toEqual([]);
});

it('is removed when a chunk fails', async () => {
  await expect(print(failing()).next()).rejects.toThrow('lost');
  expect(readdirSync(folder)).toEqual([]);
});
