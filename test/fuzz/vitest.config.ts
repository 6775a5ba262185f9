/** The tests of `npm run test:fuzz`, which take minutes. */
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.js';

export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: { include: ['test/fuzz/*.fuzz.ts'], testTimeout: 3_600_000, maxWorkers: 1 },
  }),
);
