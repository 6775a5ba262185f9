/**
 * Packs the client of a build in a separate process, so that processes that serve requests never load the generator or
 * the compiler. The parent sends one task and receives one reply.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { generate } from '../../generator/main.js';
import type { Config } from '../config/config.js';
import { specFolders } from '../config/paths.js';

/** Input of a package. */
export interface PackageTask {
  /** Folder of the build, which gets the package as `client.tgz`. */
  readonly directory: string;
  readonly tables: Config['tables'];
}

export type PackageResult =
  | { readonly kind: 'packed' }
  /** The tools of the client, the compiler among them, are not installed or cannot be used. */
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

const run = promisify(execFile);

const packClient = async ({ directory, tables }: PackageTask): Promise<PackageResult> => {
  const folder = await mkdtemp(join(directory, 'client-'));
  try {
    const from = join(directory, 'catalog.json');
    const input = { ...tables, from, specFolders: specFolders(), ignoresOutdated: true };
    const report = await generate({ ...input, out: folder, check: false, client: true });
    if (report.client === 'skipped') return { kind: 'missing', message: report.warnings.join('; ') };
    const client = join(folder, 'client');
    await setVersion(join(client, 'package.json'), directory);
    const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    // the tests compile the clients of all kinds of schemas: to check the types here would take most of the time
    await run(process.execPath, [compiler, '-p', client, '--noCheck']);
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: client });
    const name = (await readdir(folder)).find((file) => file.endsWith('.tgz')) ?? '';
    await rename(join(folder, name), join(directory, 'client.tgz'));
    return { kind: 'packed' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Gives each build a version of its own: npm does not replace a package by one of the same version. */
const setVersion = async (file: string, directory: string): Promise<void> => {
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { readonly version: string };
  const build = basename(directory).replaceAll(/[^0-9A-Za-z]/g, '');
  await writeFile(file, JSON.stringify({ ...manifest, version: `${manifest.version}-b${build}` }, null, 2));
};

const reply = (message: PackageResult): void => {
  process.send?.(message, () => process.exit(message.kind === 'packed' ? 0 : 1));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // If the parent exits, no one needs the package.
  process.once('disconnect', () => process.exit(1));
  if (!process.connected) process.exit(1);
  process.once('message', (task: PackageTask) => {
    packClient(task).then(reply, ({ message }: Error) => reply({ kind: 'failed', message }));
  });
}
