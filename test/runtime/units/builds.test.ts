import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../runtime/config/config.js';
import { keepInUse, pruneBuilds } from '../../../runtime/processes/builds.js';
import { openBuild } from '../../../runtime/processes/open-build.js';

const hour = 60 * 60_000;
const noon = Date.UTC(2026, 0, 1, 12);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-builds-'));
  vi.useFakeTimers({ now: noon });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** One build for each number: hours since its last use. */
const createBuilds = (...ages: readonly number[]): void => {
  for (const age of ages) {
    const used = new Date(noon - age * hour);
    mkdirSync(join(folder, `b${age}`));
    utimesSync(join(folder, `b${age}`), used, used);
  }
};

const usedAt = (name: string): number => statSync(join(folder, name)).mtimeMs;

const left = (): readonly string[] => {
  pruneBuilds(folder, Date.now());
  return readdirSync(folder);
};

it('keeps the last three builds', () => {
  createBuilds(70, 80, 90, 91, 92);
  expect(left()).toEqual(['b70', 'b80', 'b90']);
});

it('keeps further builds that were used within hours', () => {
  createBuilds(1, 2, 3, 4, 5, 7);
  expect(left()).toEqual(['b1', 'b2', 'b3', 'b4', 'b5']);
});

it('keeps a build until its process releases it', () => {
  createBuilds(1, 2, 3, 4);
  const release = keepInUse(join(folder, 'b4'));
  const marked = Date.now();
  vi.advanceTimersByTime(48 * hour);
  expect(left()).toContain('b4');
  expect(usedAt('b4') - marked).toBe(48 * hour);
  release();
  vi.advanceTimersByTime(7 * hour);
  expect(usedAt('b4') - marked).toBe(48 * hour);
});

/** Lets two days pass; returns the builds that were marked in them. */
const marked = (): readonly string[] => {
  const before = Date.now();
  vi.advanceTimersByTime(48 * hour);
  return ['b1', 'b2'].filter((name) => usedAt(name) > before);
};

it('keeps the build that is served, which may be another later, until it is closed', async () => {
  createBuilds(1, 2);
  for (const name of ['b1', 'b2']) {
    writeFileSync(
      join(folder, name, 'server.mjs'),
      'export const [collections, routes, queueModels] = [[], [], []];',
    );
    utimesSync(join(folder, name), new Date(noon), new Date(noon));
  }
  writeFileSync(join(folder, 'data.db'), '');
  const config = loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'data.db')}` });
  const opened = await openBuild({ config, observe: () => undefined, directory: join(folder, 'b1') });
  expect(marked()).toEqual(['b1']);
  await opened.load(join(folder, 'b2'));
  expect(marked()).toEqual(['b2']);
  await opened.close();
  expect(marked()).toEqual([]);
});

it('does not keep a build that cannot be loaded', async () => {
  createBuilds(1);
  writeFileSync(join(folder, 'b1', 'server.mjs'), 'throw new Error("not like this")');
  writeFileSync(join(folder, 'data.db'), '');
  const config = loadConfig({ DATABASE_URL: `sqlite:${join(folder, 'data.db')}` });
  const opening = openBuild({ config, observe: () => undefined, directory: join(folder, 'b1') });
  await expect(opening).rejects.toThrow('not like this');
  const used = usedAt('b1');
  vi.advanceTimersByTime(48 * hour);
  expect(usedAt('b1')).toBe(used);
});

/** Files of a build that is being made, last written so many hours ago. */
const createUnfinished = (age: number): void => {
  for (const name of ['b1.4711', 'b1.4711.json', 'source.x']) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), noon / 1000, noon / 1000 - age * 3600);
  }
};

it('does not remove a build that is being made, or files of others', () => {
  createBuilds(1);
  createUnfinished(5);
  writeFileSync(join(folder, 'notes.txt'), '');
  utimesSync(join(folder, 'notes.txt'), 0, 0);
  expect(left()).toEqual(['b1', 'b1.4711', 'b1.4711.json', 'notes.txt', 'source.x']);
});

it('removes what processes left that were killed while building', () => {
  createBuilds(1);
  createUnfinished(7);
  expect(left()).toEqual(['b1']);
});

it('ignores a folder that is missing or not writable', () => {
  expect(() => keepInUse(join(folder, 'nowhere'))()).not.toThrow();
});
