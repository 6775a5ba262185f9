/**
 * Retention of builds: processes mark the build they serve at intervals, and only a few unmarked builds are
 * kept.
 */
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Milliseconds between marks. Far below the retention limit, so that a machine that slept keeps its build.
 */
const markInterval = 10 * 60_000;
/** Milliseconds after which an unmarked build may be removed. */
const unusedLimit = 6 * 60 * 60_000;
/** Number of most recently used builds that are always kept. */
const recentBuilds = 3;

/** Marks a build as used, now and at intervals. @returns a function that stops marking */
export const keepInUse = (directory: string): (() => void) => {
  markUsed(directory);
  const timer = setInterval(markUsed, markInterval, directory).unref();
  return () => clearInterval(timer);
};

const markUsed = (directory: string): void => {
  try {
    utimesSync(directory, new Date(), new Date());
  } catch {
    // A build in a read-only image cannot be marked.
  }
};

/**
 * Removes builds unused for hours, except the last three, as processes load some of their files late; and what processes
 * that were killed while building left behind, which has a dot in its name.
 */
export const pruneBuilds = (folder: string, now: number): void => {
  const unused = (names: readonly string[]): readonly string[] =>
    names.map((name) => join(folder, name)).filter((path) => now - lastUse(path) > unusedLimit);
  const names = readdirSync(folder);
  const builds = names
    .filter((name) => /^[0-9a-f]+$/.test(name))
    .sort((a, b) => lastUse(join(folder, b)) - lastUse(join(folder, a)));
  const unfinished = names.filter((name) => /^([0-9a-f]+|source)\./.test(name));
  for (const path of unused([...builds.slice(recentBuilds), ...unfinished]))
    rmSync(path, { recursive: true, force: true });
};

/** Returns the time in milliseconds; that of what another process has removed meanwhile never comes. */
const lastUse = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
