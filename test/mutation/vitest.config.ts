/** The tests that mutations are tried on: those of the mutated files alone, which need no service. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'test/runtime/units/{access-cache,addresses,credentials,fragment,grant,limiter,policies,share-reads,variables}.test.ts',
    ],
  },
});
