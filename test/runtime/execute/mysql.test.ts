import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Field } from '../../../runtime/collection.js';
import { openDatabase, type Database } from '../../../runtime/execute/database.js';
import { createTestDatabase, type TestDatabase } from '../../databases.js';

describe('prepared statements on MariaDB', () => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createTestDatabase('mariadb', { sql: 'create table t (v int)' });
    database = await openDatabase({ url: place.url, poolMax: 1 });
  });

  afterAll(async () => {
    await database.close();
    await place.drop();
  });

  const field: Field = { name: 'v', type: 'integer' };
  const layout = { tokens: [{ kind: 'value' as const, field }], keyColumns: 0, limit: 1 };
  const numbers = Array.from({ length: 700 }, (_, index) => index);

  it('more of them than are kept work again and again, whichever way they are run', async () => {
    for (const round of [1, 2]) {
      for (const number of numbers) {
        const { rows } = await database.rows({ text: `select ${number} + ?`, values: [round] }, layout);
        expect(Number(rows.bytes.toString())).toBe(number + round);
        const [found] = await database.query(`select ${number} - ? as v`, [round]);
        expect(Number(found?.v)).toBe(number - round);
      }
    }
  });

  it('are closed on the server when they are not kept', async () => {
    const [found] = await database.query("show session status like 'Com_stmt_prepare'");
    const [closed] = await database.query("show session status like 'Com_stmt_close'");
    expect(Number(found?.Value) - Number(closed?.Value)).toBeLessThanOrEqual(256);
  });

  it('name themselves in the error when they fail', async () => {
    const statement = { text: 'insert into t (v) values (?)', values: ['no number'] };
    await expect(database.write(statement)).rejects.toMatchObject({ errno: 1366, sql: statement.text });
    await expect(database.query('select missing from t where v = ?', [1])).rejects.toMatchObject({
      errno: 1054,
      sql: 'select missing from t where v = ?',
    });
  });
});
