import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readConnection } from '../../runtime/queue/temporal/connection.js';

const chosen = { address: 'here:7233', namespace: null };

let home: string;
let file: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  file = join(home, '.config', 'temporalio', 'temporal.toml');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '[profile.default]\naddress = "there:7233"\nnamespace = "theirs"\n');
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, '.config'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

it('ignores the Temporal configuration in the home folder', () => {
  expect(readConnection(chosen)).toMatchObject({ options: { address: 'here:7233' }, namespace: 'default' });
});

it('reads the configuration file given in the environment', () => {
  vi.stubEnv('TEMPORAL_CONFIG_FILE', file);
  expect(readConnection(chosen)).toMatchObject({ options: { address: 'here:7233' }, namespace: 'theirs' });
});

it('an API key enables TLS', () => {
  vi.stubEnv('TEMPORAL_API_KEY', 'of-a-cloud');
  expect(readConnection({ address: null, namespace: 'ours' })).toMatchObject({
    options: { apiKey: 'of-a-cloud', tls: true },
    namespace: 'ours',
  });
});
