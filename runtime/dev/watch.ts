/** Watches folders of a project. */
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds without a change before it is reported: editors write a file in several steps. */
const quiet = 200;

/** Calls `onChange` with the changed files of the folders that exist, one call for changes that belong together. */
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
  const watchers = folders.filter(existsSync).map((folder) =>
    watch(folder, { recursive: true }, (_, name) => {
      if (name === null || !/\.(ya?ml|[cm]?[jt]s|json)$/.test(name)) return;
      changed.add(join(folder, name));
      clearTimeout(timer);
      timer = setTimeout(report, quiet);
    }),
  );
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
};
