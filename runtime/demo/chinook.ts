/** The demo database: a music shop, 11 tables with 15 607 rows. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../databases/contract.js';
import { packageRoot } from '../config/package.js';
import { splitStatements } from './statements.js';

/**
 * Fills an empty database in one transaction; leaves one that already has tables unchanged.
 * @returns whether it was empty
 */
export const loadChinook = (database: Database): Promise<boolean> =>
  database.locked('svc_demo', async () => {
    const [found] = await database.query(
      "select count(*) as tables from sqlite_master where type = 'table' and substr(name, 1, 7) <> 'sqlite_'",
    );
    if (Number(found?.tables) > 0) return false;
    const script = readFileSync(join(packageRoot, 'demo', 'chinook.sqlite.sql'), 'utf8');
    await database.transaction(async (executor) => {
      for (const text of splitStatements(script)) await executor.write({ text, values: [] });
    });
    return true;
  });
