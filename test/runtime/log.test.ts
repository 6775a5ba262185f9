/** Lines of the log: what they say of an error, and which of them are written. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../runtime/config/package.js';
import { createLightObserver } from '../../runtime/log/observers.js';

const observers = pathToFileURL(join(packageRoot, 'dist/runtime/log/observers.js')).href;

/** Runs a program that observes a failed request, and returns its line. */
const lineOf = async (style: 'json' | 'pretty'): Promise<string> => {
  const program = `
    import { createObserver } from '${observers}';
    const observe = await createObserver({ log: { level: 'info', style: '${style}' } });
    const error = Object.assign(new TypeError('duplicate entry'), {
      code: 'ER_DUP_ENTRY', values: ['a secret'], parameters: ['a secret'], detail: 'Key (a)=(a secret)', sqlMessage: 'a secret',
    });
    observe({ kind: 'step', name: 'database', ms: 3 });
    observe({ kind: 'requestFinished', id: '1', method: 'GET', route: '/a', status: 200, ms: 1 });
    observe({ kind: 'requestFailed', id: '2', method: 'GET', route: '/a', error, sql: 'select ?' });`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout;
};

describe('a line of the log', () => {
  it('has of an error its type, message, stack and code, and none of its values', async () => {
    const lines = (await lineOf('json')).trim().split('\n');
    expect(lines).toHaveLength(2);
    const { error, ...line } = JSON.parse(lines[1] ?? '') as { readonly error: object };
    expect(line).toMatchObject({ level: 50, id: '2', sql: 'select ?', msg: 'GET /a failed (request 2)' });
    expect(error).toEqual({
      type: 'TypeError',
      message: 'duplicate entry',
      stack: expect.stringContaining('TypeError: duplicate entry'),
      code: 'ER_DUP_ENTRY',
    });
  });

  it('has none of them for people either', async () => {
    const text = await lineOf('pretty');
    expect(text).toContain('GET /a failed (request 2)');
    expect(text).toContain('duplicate entry');
    expect(text).not.toContain('a secret');
  });
});

const linesOf = (level: 'info' | 'warn' | 'silent', style: 'json' | 'pretty'): readonly string[] => {
  const lines: string[] = [];
  const observe = createLightObserver({ log: { level, style } }, (line) => lines.push(line));
  observe({ kind: 'step', name: 'database', ms: 3 });
  observe({ kind: 'warning', message: 'beware' });
  return lines;
};

describe('the log of the supervisor', () => {
  it('has the lines of its level and above', () => {
    expect(linesOf('info', 'json').map((line) => JSON.parse(line))).toMatchObject([
      { level: 30, pid: process.pid, kind: 'step', name: 'database', msg: 'database took 3.0 ms' },
      { level: 40, kind: 'warning', msg: 'beware' },
    ]);
    expect(linesOf('warn', 'json')).toHaveLength(1);
    expect(linesOf('silent', 'json')).toEqual([]);
  });

  it('is readable on a terminal', () => {
    expect(linesOf('warn', 'pretty')).toEqual([expect.stringMatching(/^\[\d\d:\d\d:\d\d\] WARN: beware\n$/)]);
  });
});
