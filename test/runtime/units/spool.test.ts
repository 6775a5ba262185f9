/** CSV whose columns are known only after the last item: the temporary file it waits in, which has no name. */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { plainFields } from '../../../runtime/response/export/csv.js';
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

/** Files of the folder that this process has open, also those without a name. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd')
    .map((each) => {
      try {
        return readlinkSync(join('/proc/self/fd', each));
      } catch {
        // the descriptor of this list
        return '';
      }
    })
    .filter((path) => path.startsWith(folder));

async function* chunksOf(...chunks: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const chunk of chunks) {
    yield Buffer.from(chunk);
    expect(openFiles()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  }
}

async function* failing(): AsyncGenerator<Buffer, void, void> {
  yield* chunksOf('{"a":1}');
  throw new Error('lost');
}

const print = (chunks: AsyncIterable<Buffer>) => printSpooled('csv', chunks, plainFields);

it('is closed after the last item', async () => {
  const parts: string[] = [];
  for await (const part of print(chunksOf('{"a":1},{"b":2}', '{"a":3}'))) parts.push(String(part));
  expect(parts.join('')).toBe('"a","b"\n1,\n,2\n3,');
  expect(openFiles()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('is closed when its reader leaves early', async () => {
  for await (const _ of print(chunksOf('{"a":1}', '{"a":2}'))) break;
  expect(openFiles()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('is closed when a chunk fails', async () => {
  await expect(print(failing()).next()).rejects.toThrow('lost');
  expect(openFiles()).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});
