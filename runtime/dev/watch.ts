/** Watches folders of a project. */
import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Milliseconds without a change before it is reported: editors write a file in several steps. */
const quiet = 200;

/**
 * Calls `onChange` with the changed files of the folders, one call for changes that belong together. A folder that is
 * created or replaced later is reported itself, and followed from then on.
 */
export const watchFolders = (
  folders: readonly string[],
  onChange: (files: readonly string[]) => void,
): (() => void) => {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const files = [...changed].toSorted();
    changed.clear();
    onChange(files);
  };
  const note = (file: string): void => {
    changed.add(file);
    clearTimeout(timer);
    timer = setTimeout(report, quiet);
  };
  const watchers = new Map<string, FSWatcher>();
  const follow = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
    if (!existsSync(folder)) return;
    const watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name !== null && /\.(ya?ml|[cm]?[jt]s|json)$/.test(name)) note(join(folder, name));
    });
    watchers.set(folder, watcher);
  };
  folders.forEach(follow);
  const parents = folders.map((folder) =>
    watch(dirname(folder), (event, name) => {
      if (event !== 'rename' || name !== basename(folder)) return;
      follow(folder);
      note(folder);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of [...parents, ...watchers.values()]) watcher.close();
  };
};
