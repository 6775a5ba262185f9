import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { compiledFolder, compiledModules } from './test/compiled.js';
import { findLongFiles } from './test/long.js';
import LongestFirst from './test/sequence.js';

const isLong = process.env.LONG !== undefined;

/**
 * Most of what tests run is run a few times, and optimizing it takes longer than it saves: a sixth of the time of workers.
 * Later versions of Node have no such option of V8.
 */
const lateOptimization = process.version.startsWith('v20.') ? ['--interrupt-budget=600000'] : [];

export default defineConfig({
  plugins: [compiledModules()],
  // what is compiled loads this file of the package, and `graphql` works only with itself
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: isLong ? findLongFiles() : ['test/**/*.test.ts'],
    globalSetup: ['test/scheduling.ts', 'test/compiled.ts', 'test/services.ts'],
    // workflows of workers in a test's process run on its thread: each worker would load the SDK again for one of its own
    env: { TEMPORAL_DEBUG: '1' },
    setupFiles: ['test/processor-time.ts', 'test/queue/schedules.ts'],
    reporters: ['default', './test/counts.ts'],
    // generous: slow machines are slow, and what hangs is seen all the same
    testTimeout: 300_000,
    // the first run on a machine builds programs with Go
    hookTimeout: 900_000,
    server: { deps: { external: [compiledFolder] } },
    pool: 'forks',
    execArgv: lateOptimization,
    // files share the modules of their worker: nothing in them may depend on who has used them before
    isolate: false,
    // two more than there are processors, for files that wait; those of long runs compute
    maxWorkers: availableParallelism() + (isLong ? 0 : 2),
    sequence: { sequencer: LongestFirst },
  },
});
