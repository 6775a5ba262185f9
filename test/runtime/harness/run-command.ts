import type { Command } from 'commander';
import { vi } from 'vitest';
import type { Outcome } from '../commands.js';

/** Runs a command of `svc` as `cli.ts` does, but in this process: a process of its own takes half a second to start. */
export const runCommand = async (
  command: Command,
  { args, directory, environment }: RunOptions,
): Promise<Outcome> => {
  const outcome = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      outcome[name] += String(text);
      return true;
    });
  }
  const before = process.cwd();
  process.chdir(directory);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    throwOnExit(command);
    await command.parseAsync(args, { from: 'user' });
    return { code: Number(process.exitCode ?? 0), ...outcome };
  } catch (error) {
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    return { code: error.exitCode === 0 ? 0 : 2, ...outcome };
  } finally {
    process.chdir(before);
    process.exitCode = undefined;
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
};

interface RunOptions {
  readonly args: readonly string[];
  /** The working directory. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

const throwOnExit = (command: Command): void => {
  command.exitOverride();
  for (const child of command.commands) throwOnExit(child);
};
