/** The ratios that `npm run bench` judges. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { benchDialects } from './databases.js';
import { shapes } from './shapes.js';
import { projectRoot } from './paths.js';
import { targetOn } from './targets.js';

it('are less on PostgreSQL and SQLite than on MariaDB, and only reported on MySQL', () => {
  const flat = { target: 1.1 };
  expect(benchDialects.map((dialect) => [dialect, targetOn(dialect, flat)])).toEqual([
    ['mariadb', 1.1],
    ['mysql', null],
    ['postgres', 1.05],
    ['sqlite', 1],
  ]);
});

it('are not above what is worked towards', () => {
  expect(shapes.filter(({ target, aim = target }) => aim < target)).toEqual([]);
});

const measured = process.env.LONG === undefined ? [] : ['one', 'create'];

it.each(measured)('are measured for the shape %s', async (shape) => {
  const options = ['--shape', shape, '--database', 'sqlite', '--seconds', '1', '--rounds', '1'];
  const command = ['--import', 'tsx', 'test/bench/run.ts', ...options];
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: projectRoot });
  expect(stdout).toMatch(new RegExp(`^${shape} +\\d+\\.\\d\\d `, 'm'));
});
