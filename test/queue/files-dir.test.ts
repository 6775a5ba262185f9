/** A folder of files that cannot be used is told when a process starts, not when the first model has a file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Workplace } from '../runtime/commands.js';
import { createBootstrapped } from '../runtime/harness/bootstrapped.js';
import { createNamespace } from './namespaces.js';

const fault =
  'QUEUE_FILES_DIR: files of models cannot be written to "taken/files" (ENOTDIR); ' +
  'make it writable for this user or set another directory';

describe('a folder that cannot be written', () => {
  let place: Workplace;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    place = await createBootstrapped();
    writeFileSync(join(place.directory, 'taken'), 'a file');
    environment = {
      QUEUE_FILES_DIR: 'taken/files',
      TEMPORAL_ADDRESS: inject('services').temporal,
      TEMPORAL_NAMESPACE: await createNamespace(),
      LOG_STYLE: 'json',
      PORT: '0',
    };
  });
  afterAll(() => place.remove());

  it.each(['models', 'housekeeping', 'workflows,models,webhooks,housekeeping'])(
    'keeps a worker of the role %s from starting',
    async (roles) => {
      const { code, stderr } = await place.run(['worker', '--role', roles], environment);
      expect([code, stderr]).toEqual([1, `svc: ${fault}\n`]);
    },
  );

  it('does not affect workers that do not use it', async () => {
    const worker = place.start(['worker', '--role', 'workflows,webhooks'], environment);
    await worker.until(/workers started: /);
    await worker.stop('SIGTERM');
    expect(worker.output()).not.toContain('QUEUE_FILES_DIR');
  });

  it.each(['1', '2'])(
    'is reported once by a start of %s processes, which serve requests',
    async (processes) => {
      const api = place.start(['start', '--workers', processes], environment);
      await api.until(/"kind":"started"/);
      await api.stop('SIGTERM');
      const lines = api.output().split('\n');
      expect(lines.filter((line) => line.includes(JSON.stringify(fault)))).toHaveLength(1);
    },
  );
});
