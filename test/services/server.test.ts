import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { startServer } from './server.js';

const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'svc-server-'));

afterEach(() => {
  vi.restoreAllMocks();
});

it('stops a server and removes its folder, and reports nothing', async () => {
  const reported = vi.spyOn(process.stderr, 'write');
  const folder = await makeFolder();
  const options = { program: 'sleep', args: ['1000'], folder, isReady: async () => true };
  const server = await startServer(options);
  expect(existsSync(folder)).toBe(true);
  await server.stop();
  expect(existsSync(folder)).toBe(false);
  expect(reported).not.toHaveBeenCalled();
});

it('ends a server with the process that started it', async () => {
  const folder = await makeFolder();
  const options = `{ program: 'sleep', args: ['1000'], folder: '${folder}', isReady: async () => true }`;
  const script = `import { startServer } from '${new URL('server.ts', import.meta.url).href}';
    await startServer(${options});
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(existsSync(folder)).toBe(true);
  child.kill('SIGKILL');
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 10_000 });
});

it('reports a server that does not start with the end of its log', async () => {
  const args = ['-c', 'echo "no such table space" >&2; exit 1'];
  const options = { program: 'sh', args, folder: await makeFolder(), isReady: async () => false };
  await expect(startServer(options)).rejects.toThrow('sh did not start:\nno such table space');
});

it('reports a server that ends during the tests with the end of its log', async () => {
  const reported = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const args = ['-c', 'sleep 0.3; echo "out of memory" >&2; exit 3'];
  const options = { program: 'sh', args, folder: await makeFolder(), isReady: async () => true };
  await startServer(options);
  await vi.waitFor(
    () => expect(reported).toHaveBeenCalledWith('sh ended with status 3:\nout of memory\n\n'),
    {
      timeout: 10_000,
    },
  );
});
