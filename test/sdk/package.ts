/** The client as people get it: built, packed, and unpacked into a project of theirs. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../runtime/config/package.js';
import type { CompilerOptions } from '../compiler.js';
import { sharedRoot, sharedText } from '../shared.js';

const run = promisify(execFile);

export const programsFolder = join(packageRoot, 'test', 'sdk');

export interface Project {
  readonly folder: string;
  /** The tarball. */
  readonly packed: string;
  remove(): Promise<void>;
}

/** A project that has the committed client installed, and `programs` of `test/sdk` beside it. */
export const createProject = async (programs: readonly string[] = []): Promise<Project> => {
  const packed = await sharedText('packed-client', pack);
  const folder = await mkdtemp(join(tmpdir(), 'svc-sdk-'));
  const place = join(folder, 'node_modules', 'content-api-client');
  await mkdir(place, { recursive: true });
  await run('tar', ['-xzf', packed, '--strip-components=1', '-C', place]);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }\n');
  for (const name of programs) await cp(join(programsFolder, name), join(folder, name), { recursive: true });
  return { folder, packed, remove: () => rm(folder, { recursive: true, force: true }) };
};

/** Packs the committed client, which compiles it. @returns the tarball, which lies there for the whole run */
const pack = async (): Promise<string> => {
  const folder = await mkdtemp(join(sharedRoot(), 'client-'));
  const workshop = join(folder, 'workshop');
  await cp(join(packageRoot, 'generated', 'client'), workshop, { recursive: true });
  await symlink(join(packageRoot, 'node_modules'), join(workshop, 'node_modules'));
  await run('npm', ['pack', '--pack-destination', folder], { cwd: workshop });
  await rm(workshop, { recursive: true });
  return join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? '');
};

/** The strictest settings a project may have. */
export const strictest: CompilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
};

/** The same without checks of declarations, the compiler's own among them: the valid programs of `programs.test.ts` have them. */
export const strictestOfPrograms: CompilerOptions = { ...strictest, skipLibCheck: true };

/** Source files in a folder, sorted. */
export const sourcesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
