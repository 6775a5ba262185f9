/** Stands for a worker: runs a function that spins, prints the id of its process and waits. */
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../runtime/queue/models/children/child.js';

const functions = fileURLToPath(new URL('../runtime/harness/functions.ts', import.meta.url));
const child = startChild({ functions, spool: tmpdir(), runner: { memory: 1024 ** 3, environment: [] } });
void child.run(
  {
    kind: 'run',
    model: 'test/report',
    input: {},
    resumed: undefined,
    traceparent: null,
    origin: { request: 'none', model: 'test/report', account: 'none', attempt: 1 },
  },
  {
    log: (message) => process.stdout.write(message),
    skip: () => undefined,
    progress: () => undefined,
    memory: () => undefined,
    save: () => Promise.reject(new Error('there is no store')),
  },
);
