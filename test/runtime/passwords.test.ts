/** Hashes of passwords, in a process of their own as request processes have it. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';

const urlOf = (module: string): string =>
  pathToFileURL(join(packageRoot, 'dist', 'runtime', `${module}.js`)).href;

/** Answers each line of JSON, `[password, hash?]`, with another. */
const script = `
  import { computeHashesBy, hashPassword, verifyPassword } from '${urlOf('auth/passwords/hash')}';
  import { createHashProcess } from '${urlOf('auth/passwords/hash-process')}';
  import { createInterface } from 'node:readline';
  computeHashesBy(createHashProcess());
  createInterface(process.stdin).on('line', async (line) => {
    const [password, hash] = JSON.parse(line);
    const answer = hash === undefined ? hashPassword(password) : verifyPassword(hash, password);
    console.log(JSON.stringify(await answer.catch(String)));
  });
`;

interface Caller {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: Interface;
}

const started: Caller[] = [];

const startCaller = (): Caller => {
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const caller = { process: child, lines: createInterface(child.stdout) };
  started.push(caller);
  return caller;
};

const folder = mkdtempSync(join(tmpdir(), 'svc-passwords-'));
const file = join(folder, 'caller.mjs');

beforeAll(() => writeFileSync(file, script));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const caller of started.splice(0)) caller.process.kill('SIGKILL');
});

const send = ({ process: { stdin } }: Caller, ...task: readonly unknown[]): void => {
  stdin.write(`${JSON.stringify(task)}\n`);
};

const ask = async (caller: Caller, ...task: readonly unknown[]): Promise<unknown> => {
  send(caller, ...task);
  const [line] = (await once(caller.lines, 'line')) as [string];
  return JSON.parse(line);
};

/** The processes that a process has started for its hashes. */
const childrenOf = ({ process: { pid } }: Caller): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && commandOf(child).includes('passwords/hash-worker'))
    .map(Number);

const commandOf = (pid: number | string): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8');

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const onlyChildOf = (caller: Caller): number => {
  const children = childrenOf(caller);
  expect(children).toHaveLength(1);
  return children[0] as number;
};

describe('a process that serves requests', () => {
  it('computes hashes in another process with lower priority', async () => {
    const caller = startCaller();
    const hash = await ask(caller, 'one password');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await ask(caller, 'one password', hash)).toBe(true);
    expect(await ask(caller, 'another', hash)).toBe(false);
    expect(await ask(caller, 'one password', null)).toBe(false);
    expect(await ask(caller, 'one password', 'no hash at all')).toBe(false);
    const child = onlyChildOf(caller);
    const threads = readdirSync(`/proc/${child}/task`).map((thread) => getPriority(Number(thread)));
    expect(new Set(threads)).toEqual(new Set([constants.priority.PRIORITY_LOW]));
    expect(commandOf(child)).not.toContain('one password');
    expect(readFileSync(`/proc/${child}/environ`, 'utf8')).not.toContain('SECRET');
  });

  it('continues if that one is killed', async () => {
    const caller = startCaller();
    const hash = await ask(caller, 'one password');
    const child = onlyChildOf(caller);
    const answer = ask(caller, 'one password', hash);
    process.kill(child, 'SIGKILL');
    expect(await answer).toBe(true);
    expect(onlyChildOf(caller)).not.toBe(child);
  });

  it('leaves no process behind', async () => {
    const caller = startCaller();
    await ask(caller, 'one password');
    const child = onlyChildOf(caller);
    caller.process.kill('SIGKILL');
    await once(caller.process, 'exit');
    await expect.poll(() => isAlive(child), { timeout: 20_000 }).toBe(false);
  });

  it('ends when it is idle', async () => {
    const caller = startCaller();
    await ask(caller, 'one password');
    caller.process.stdin.end();
    expect(await once(caller.process, 'exit')).toEqual([0, null]);
  });
});
