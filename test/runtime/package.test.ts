/** The package as people install it: packed, and unpacked by npm into an empty folder. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';

const run = promisify(execFile);

let folder: string;
let project: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
  project = join(folder, 'project');
  await mkdir(project);
  await install();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Installs the packed package without network: its dependencies are found in a folder above the project. */
const install = async (): Promise<void> => {
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packageRoot });
  await run('sh', ['-c', 'tar -xzf *.tgz'], { cwd: folder });
  const manifest = join(folder, 'package', 'package.json');
  const { dependencies: _, optionalDependencies: __, ...rest } = await readJson(manifest);
  await writeFile(manifest, JSON.stringify(rest));
  await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{}');
  const flags = ['--offline', '--install-links', '--legacy-peer-deps', '--ignore-scripts', '--no-audit'];
  await run('npm', ['install', ...flags, join(folder, 'package')], { cwd: project });
};

const readJson = async (path: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;

/** Runs the command as `npx svc` does, without what npx takes itself. */
const svc = (...args: string[]) =>
  run(join(project, 'node_modules', '.bin', 'svc'), args, {
    cwd: project,
    env: { ...process.env, DATABASE_URL: undefined },
  });

describe('the package', () => {
  it('runs as npx svc in the repository, where npm sets no mode', async () => {
    const { version } = await readJson(join(packageRoot, 'package.json'));
    const { stdout } = await run('npx', ['svc', '--version'], { cwd: packageRoot });
    expect(stdout.trim()).toBe(version);
    // the first time, npx installs the repository into its cache, which builds it
  }, 600_000);

  it('contains what commands of a project need', async () => {
    expect((await svc('bootstrap')).stdout).toContain('administrator admin@example.com created');
    expect((await svc('generate', '--no-client')).stdout).toMatch(/files changed/);
    expect((await svc('generate', '--no-client', '--check')).stdout).toMatch(/^up to date/);
  });
});
