/** Builds lie side by side. Who serves one marks it now and then; of what nobody marks, only a few are kept. */
import { readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds. A machine that slept between two marks still has what it serves. */
const markEvery = 10 * 60_000;
const inUseFor = 6 * 60 * 60_000;
/** Builds that are kept in any case. */
const kept = 3;

/** Marks a build as used, now and as long as it is. @returns what ends it */
export const keepInUse = (directory: string): (() => void) => {
  markUsed(directory);
  const timer = setInterval(markUsed, markEvery, directory).unref();
  return () => clearInterval(timer);
};

const markUsed = (directory: string): void => {
  try {
    utimesSync(directory, new Date(), new Date());
  } catch {
    // A build that came with a read-only image is not ours to mark.
  }
};

/** Removes builds that nobody has used for hours, beyond the last three: processes load parts of theirs late. */
export const pruneBuilds = (folder: string, now: number): void => {
  const builds = readdirSync(folder)
    .filter((name) => /^[0-9a-f]+$/.test(name))
    .map((name) => ({ path: join(folder, name), used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  for (const { path, used } of builds.slice(kept))
    if (now - used > inUseFor) rmSync(path, { recursive: true, force: true });
};
