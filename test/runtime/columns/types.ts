/** Every column type of a database. */
import type { TestDialect } from '../../databases.js';
import type { ColumnKinds } from './kinds.js';
import { postgresKinds, postgresSetup } from './postgres.js';

export const columnKinds: Readonly<Partial<Record<TestDialect, ColumnKinds>>> = {
  postgres: postgresKinds,
};

/** What comes before the tables. */
export const setups: Readonly<Partial<Record<TestDialect, string>>> = { postgres: postgresSetup };
