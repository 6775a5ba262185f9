/** The least ratios of shapes on each database. */
import type { BenchDialect } from './databases.js';
import type { Shape } from './shapes.js';

/** How much less is required than on MariaDB; `null`: nothing is, ratios are reported. */
const allowances: Readonly<Record<BenchDialect, number | null>> = {
  mariadb: 0,
  mysql: null,
  postgres: 0.05,
  sqlite: 0.1,
};

/** Returns the least ratio of a shape on a database, or null where its ratio is not judged. */
export const targetOn = (dialect: BenchDialect, { target }: Pick<Shape, 'target'>): number | null => {
  const allowance = allowances[dialect];
  return allowance === null ? null : Math.round((target - allowance) * 100) / 100;
};
