/** Boots a Linux of its own on this machine's files, without its devices and network: for what only a kernel can show. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram, installPackages } from './programs.js';

/**
 * Runs a script of bash as the first process. `/proc`, `/sys` and control groups are mounted.
 * @returns what it prints
 */
export const runInLinux = async (script: string): Promise<string> => {
  const program = await requireLinux();
  const folder = await mkdtemp(join(tmpdir(), 'svc-linux-'));
  const file = join(folder, 'init');
  await writeFile(file, `${begin}\n${script}\n${end}`, { mode: 0o755 });
  const args = `mem=1536M rootfstype=hostfs rw init=${file} con=null con0=fd:0,fd:1 quiet`.split(' ');
  try {
    const { stdout } = await promisify(execFile)(program, args, { timeout: 240_000, env: process.env });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
};

const begin = `#!/bin/bash
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t cgroup2 cgroup /sys/fs/cgroup`;

/** Ends the machine. */
const end = `sync
echo o > /proc/sysrq-trigger
sleep 60`;

const requireLinux = async (): Promise<string> => {
  const found = await findProgram('linux.uml');
  if (found !== null) return found;
  await installPackages({
    title: 'User-mode Linux',
    debian: ['user-mode-linux'],
    homebrew: 'user-mode-linux (Linux only)',
  });
  const installed = await findProgram('linux.uml');
  if (installed === null) throw new Error('linux.uml is not on the PATH');
  return installed;
};
