import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@svc-api/svc/runtime': source('./runtime/index.ts'),
      '@svc-api/svc/generator': source('./generator/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/services.ts'],
    reporters: ['default', './test/counts.ts'],
    // generous: slow machines are slow, and what hangs is seen all the same
    testTimeout: 120_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
