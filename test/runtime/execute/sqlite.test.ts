/** Cached statements on a table that changes. */
import { expect, it } from 'vitest';
import { openSqlite } from '../../../runtime/databases/sqlite/connection.js';
import { createTestDatabase } from '../../databases.js';

it('reads current columns after another connection has dropped one', async () => {
  const sql = "create table t (x text, y text, z text); insert into t values ('x', 'y', 'z')";
  const { database, url, drop } = await createTestDatabase('sqlite', { sql });
  const other = await openSqlite({ url });
  try {
    const read = () => database.query('select * from t', []);
    await expect(read()).resolves.toEqual([{ x: 'x', y: 'y', z: 'z' }]);
    await other.write({ text: 'alter table t drop column y', values: [] });
    await expect(read()).resolves.toEqual([{ x: 'x', z: 'z' }]);
  } finally {
    await other.close();
    await drop();
  }
});
