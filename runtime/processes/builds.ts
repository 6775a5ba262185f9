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

/** Removes builds unused for hours, except the last three: processes load some of their files late. */
export const pruneBuilds = (folder: string, now: number): void => {
  const builds = readdirSync(folder)
    .filter((name) => /^[0-9a-f]+$/.test(name))
    .map((name) => ({ path: join(folder, name), used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path, used } of builds.slice(recentBuilds))
    if (now - used > unusedLimit) rmSync(path, { recursive: true, force: true });
};
