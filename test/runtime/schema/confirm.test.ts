/** `svc schema apply` on a terminal: it lists what is lost, and asks. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createTimeLeft } from '../../../runtime/commands/schema/time-left.js';
import { sampleDialects } from '../../databases.js';
import { createWorkplace } from '../commands.js';
import { copyField, edited, field, tinyScript } from './edits.js';
import { usePlaces } from './places.js';

const cli = fileURLToPath(new URL('../../../dist/runtime/cli.js', import.meta.url));

const create = usePlaces();

/** Runs `svc` on a terminal of its own, which `script` makes, and answers its question. */
const runOnTerminal = (
  args: readonly string[],
  { url, directory, answer }: { readonly url: string; readonly directory: string; readonly answer: string },
): Promise<{ readonly code: number | null; readonly shown: string }> =>
  new Promise((resolve) => {
    const command = [process.execPath, cli, ...args].join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: directory,
      env: { PATH: process.env.PATH, DATABASE_URL: url, NO_COLOR: '1', TERM: 'xterm' },
    });
    let shown = '';
    let isAnswered = false;
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString().replaceAll('\r', '');
      if (isAnswered || !shown.includes('(yes/no)')) return;
      isAnswered = true;
      child.stdin.write(`${answer}\n`);
    });
    child.on('close', (code) => resolve({ code, shown }));
  });

describe.each(sampleDialects(import.meta.url))('on %s', (dialect) => {
  it('an apply lists what is lost before it asks; it changes nothing for no, and shows each step for yes', async () => {
    const place = await create(dialect, tinyScript(dialect));
    const { directory, remove } = createWorkplace();
    const before = await place.snapshot();
    const wanted = edited(before, (snapshot) => {
      snapshot.fields = snapshot.fields.filter((entry) => entry.field !== 'weight');
      snapshot.fields.push(copyField(field(snapshot, 'boxes', 'code'), 'colour', { is_nullable: true }));
    });
    writeFileSync(join(directory, 'wanted.json'), JSON.stringify(wanted));
    const send = (answer: string) =>
      runOnTerminal(['schema', 'apply', 'wanted.json'], { url: place.url, directory, answer });

    const question = 'This loses:\n  1 value: drop field boxes.weight\nApply this? (yes/no)';
    const refused = await send('y');
    expect(refused.shown).toContain(question);
    expect(refused.shown).toContain('nothing was applied');
    expect(refused.code).toBe(1);
    expect(await place.snapshot()).toEqual(before);

    const applied = await send('yes');
    expect(applied.shown).toContain(question);
    expect(applied.shown).toMatch(/… 1\/\d+ alter boxes/);
    expect(applied.shown.trimEnd()).toMatch(/applied$/);
    expect(applied.code).toBe(0);
    expect(await place.diff(wanted)).toBeNull();
    remove();
  });
});

it('the time left is that of the steps so far, for those that are left', () => {
  let now = 0;
  const timeLeft = createTimeLeft(() => now);
  expect(timeLeft({ done: 0, steps: 5 })).toBe('');
  now = 10_000;
  expect(timeLeft({ done: 2, steps: 5 })).toBe('about 15 s left');
  now = 600_000;
  expect(timeLeft({ done: 3, steps: 5 })).toBe('about 7 min left');
});
