/** The ratios that `npm run bench` judges. */
import { expect, it } from 'vitest';
import { benchDialects } from './databases.js';
import { shapes } from './shapes.js';
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
