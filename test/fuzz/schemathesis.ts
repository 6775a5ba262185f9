/** Installs and runs Schemathesis, a fuzzer of OpenAPI documents written in Python. */
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../runtime/config/package.js';

const version = '4.32.5';

const folder = join(packageRoot, '.cache', 'schemathesis');

/** Returns the path of the program, after installing it once into an environment of its own. */
export const installSchemathesis = async (): Promise<string> => {
  const program = join(folder, 'bin', 'schemathesis');
  if (await isInstalled(program)) return program;
  rmSync(folder, { recursive: true, force: true });
  await require('python3', ['-m', 'venv', folder]);
  await require(join(folder, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${version}`]);
  return program;
};

/** Environments cannot be moved: the program of one that was does not start. */
const isInstalled = async (program: string): Promise<boolean> => {
  if (!existsSync(program)) return false;
  const { output } = await runProgram(program, ['--version']).catch(() => ({ output: '' }));
  return output.includes(version);
};

const require = async (program: string, args: readonly string[]): Promise<void> => {
  const { code, output } = await runProgram(program, args);
  if (code !== 0)
    throw new Error(`"${program} ${args.join(' ')}" failed; test:fuzz needs Python 3 with venv\n${output}`);
};

export interface ProgramResult {
  readonly code: number | null;
  /** Both of its outputs. */
  readonly output: string;
}

export const runProgram = (program: string, args: readonly string[]): Promise<ProgramResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
