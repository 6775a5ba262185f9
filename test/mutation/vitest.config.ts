/** The tests of the room that is mutated. */
import { defineConfig } from 'vitest/config';
import { rooms } from './rooms.js';

export default defineConfig({
  test: {
    include: [...(rooms[process.env.MUTATION_ROOM ?? '']?.tests ?? [])],
    isolate: false,
    testTimeout: 60_000,
  },
});
