/** Runs functions of `misbehaving.ts` in child processes and prints how each has ended. A program of its own: `memory-groups.test.ts` starts it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isOutOfMemory } from '../../runtime/queue/models/children/exit.js';
import { createChildren } from '../../runtime/queue/models/children/pool.js';

const children = createChildren({
  functions: fileURLToPath(new URL('../runtime/harness/functions.ts', import.meta.url)),
  spool: '/nonexistent',
  onLimit: (by) => void process.stdout.write(`limited by: ${by}\n`),
});

const observer = {
  log: () => undefined,
  skip: () => undefined,
  progress: () => undefined,
  memory: () => undefined,
  save: () => Promise.reject(new Error('there are no files')),
};

for (const name of process.argv.slice(2)) {
  const task = {
    kind: 'run',
    model: `test/${name}`,
    input: {},
    resumed: undefined,
    traceparent: null,
    origin: { request: 'none', model: `test/${name}`, account: 'none', attempt: 1 },
  } as const;
  const end = await children.run(task, {
    runner: { kind: 'function', module: './unused.js', memory: 384 * 1024 ** 2, environment: [] },
    signal: new AbortController().signal,
    observer,
  });
  const outcome = end.kind === 'exited' ? { outOfMemory: isOutOfMemory(end.exit) } : { kind: end.kind };
  process.stdout.write(`ended: ${JSON.stringify({ name, ...outcome })}\n`);
}
await children.close();
process.stdout.write(`own group: ${readFileSync('/proc/self/cgroup', 'utf8')}`);
