/** A private S3-compatible server, which verifies signatures. */
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireGoProgram } from './go-programs.js';
import { reservePort } from './ports.js';
import { startServer } from './server.js';

export interface TestObjectStore {
  /** `QUEUE_FILES_URL` of an empty bucket. */
  readonly url: string;
  stop(): Promise<void>;
}

const [key, secret, bucket] = ['test-key', 'test/secret+with=signs', 'files'] as const;

export const startObjectStore = async (): Promise<TestObjectStore> => {
  const program = await requireGoProgram({
    name: 'versitygw',
    package: 'github.com/versity/versitygw/cmd/versitygw',
    version: 'v1.8.0',
  });
  const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
  const root = join(folder, 'root');
  const sidecar = join(folder, 'sidecar');
  await mkdir(join(root, bucket), { recursive: true });
  await mkdir(sidecar);
  const port = await reservePort();
  const address = `http://127.0.0.1:${port}`;
  const gateway = ['--port', `127.0.0.1:${port}`, '--access', key, '--secret', secret, '--quiet'];
  const server = await startServer({
    program,
    // attributes in files of their own, because not every file system has extended ones
    args: [...gateway, 'posix', '--sidecar', sidecar, root],
    folder,
    isReady: () =>
      fetch(address).then(
        () => true,
        () => false,
      ),
  });
  const { host } = new URL(address);
  return {
    url: `http://${key}:${encodeURIComponent(secret)}@${host}/${bucket}/some/folder`,
    stop: server.stop,
  };
};
