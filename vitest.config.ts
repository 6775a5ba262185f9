import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LongestFirst from './test/sequence.js';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: '@svc-api/svc/runtime', replacement: source('./runtime/index.ts') },
      { find: '@svc-api/svc/generator', replacement: source('./generator/index.ts') },
      { find: /^@svc-api\/svc\/models\/(.*)$/, replacement: source('./models/$1.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/services.ts'],
    // workflows of workers in a test's process run on its thread: each worker would load the SDK again for one of its own
    env: { TEMPORAL_DEBUG: '1' },
    setupFiles: ['test/processor-time.ts'],
    reporters: ['default', './test/counts.ts'],
    // generous: slow machines are slow, and what hangs is seen all the same
    testTimeout: 120_000,
    hookTimeout: 300_000,
    pool: 'forks',
    // files share the modules of their worker: nothing in them may depend on who has used them before
    isolate: false,
    // twice as many as there are processors, for those that wait; each takes a few dozen connections of the databases
    maxWorkers: Math.min(2 * availableParallelism(), 4),
    sequence: { sequencer: LongestFirst },
  },
});
