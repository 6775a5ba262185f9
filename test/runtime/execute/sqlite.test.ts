/** Connections to SQLite: cached statements on a table that changes, and transactions that fail. */
import { copyFile } from 'node:fs/promises';
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

it('leaves a file that is complete without its log when it is closed', async () => {
  const { database, url, drop } = await createTestDatabase('sqlite', { sql: 'create table t (x integer)' });
  try {
    await database.write(insert(1));
    await database.close();
    const path = url.slice('sqlite:'.length);
    await copyFile(path, `${path}.copy`);
    const copy = await openSqlite({ url: `${url}.copy` });
    expect(await copy.query('select x from t')).toEqual([{ x: 1 }]);
    await copy.close();
  } finally {
    await drop();
  }
});

const insert = (value: number) => ({ text: 'insert into t values (?)', values: [value] });

it('rolls a failed transaction back, and runs the next', async () => {
  const { database, drop } = await createTestDatabase('sqlite', { sql: 'create table t (x integer)' });
  try {
    const failing = database.transaction(async (executor) => {
      await executor.write(insert(1));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await database.transaction((executor) => executor.write(insert(2)));
    expect(await database.query('select x from t')).toEqual([{ x: 2 }]);
  } finally {
    await drop();
  }
});

it('enforces foreign keys again after a change of the schema, also after one that fails', async () => {
  const sql = 'create table up (id integer primary key); create table t (up integer references up (id))';
  const { database, drop } = await createTestDatabase('sqlite', { sql });
  const insertOrphan = () => database.write({ text: 'insert into t (up) values (1)', values: [] });
  try {
    await database.changeSchema((executor) =>
      executor.write({ text: 'alter table t add column more text', values: [] }),
    );
    await expect(insertOrphan()).rejects.toThrow('FOREIGN KEY');
    const failing = database.changeSchema((executor) =>
      executor.write({ text: 'alter table missing add column more', values: [] }),
    );
    await expect(failing).rejects.toThrow('no such table');
    await expect(insertOrphan()).rejects.toThrow('FOREIGN KEY');
  } finally {
    await drop();
  }
});
