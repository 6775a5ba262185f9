/** Provides new builds to a process that has no supervisor: it checks the schema itself. */
import { replaceNothing, type BuildSource } from '../reloading-service.js';
import { coalesceCalls } from '../concurrency/call-coalescing.js';
import type { Config } from '../config/config.js';
import type { Observe } from '../observe.js';
import { createServedGeneration } from './drain.js';
import type { OpenedBuild } from './open-build.js';
import { watchSchema } from './schema-watch.js';

export interface SourceOptions {
  readonly opened: OpenedBuild;
  /** Milliseconds between two checks, 0 for requested ones only; `trigger`: at notifications of the database. */
  readonly interval: Config['schemaWatch'];
  readonly observe: Observe;
}

/** Number of replacements from which on a restart is suggested. */
const manyReloads = 20;

/** Creates the source. */
export const createBuildSource = ({ opened, interval, observe }: SourceOptions): BuildSource => {
  let served = opened.directory;
  const generation = createServedGeneration(opened.generation);
  let reloads = 0;
  let replace = replaceNothing;
  const check = coalesceCalls(
    async (forced: boolean): Promise<void> => {
      const found = await opened.schema.check(forced);
      const { directory } = found;
      const isNew = directory !== served;
      const replaced = isNew ? await replace(await opened.load(directory)) : null;
      generation.follow(found.generation, replaced);
      if (!isNew) return;
      served = directory;
      reloads += 1;
      if (reloads < manyReloads) return;
      const message = `the schema was reloaded ${reloads} times; a restart frees the memory of former builds`;
      observe({ kind: 'warning', message });
    },
    (first, second) => first || second,
  );
  let stop: (() => void) | null = null;
  let last: Promise<unknown> = Promise.resolve();
  return {
    check: (forced) => {
      const checking = check(forced);
      last = checking.catch(() => undefined);
      return checking;
    },
    failure: opened.schema.failure,
    generation: generation.get,
    onGeneration: generation.onChange,
    subscribe(next) {
      replace = next;
      stop = watchSchema({ interval, database: opened.database, observe, check: () => this.check(false) });
    },
    async close() {
      stop?.();
      await last;
    },
  };
};
