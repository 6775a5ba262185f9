/** Every column type of every database: what an export writes, an import stores as it was. */
import { describe, expect, it } from 'vitest';
import { dialectsOf, type TestDialect } from '../../databases.js';
import type { ColumnKind } from '../columns/kinds.js';
import { columnKinds, setups } from '../columns/types.js';
import { useServer } from '../harness/use-server.js';
import { adminToken } from '../server-harness.js';

interface Column extends ColumnKind {
  readonly type: string;
  readonly table: string;
}

const columnsOf = (dialect: TestDialect): readonly Column[] =>
  Object.entries(columnKinds[dialect]).map(([type, kind], index) =>
    Object.assign({ type, table: `t${index}` }, kind),
  );

const types = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const;

describe.each(dialectsOf(import.meta.url))('exports and imports of %s', (dialect) => {
  const columns = columnsOf(dialect);
  const tables = columns.map(
    ({ type, table }) => `create table ${table} (id integer primary key, v ${type});`,
  );
  const server = useServer({ dialect, sql: [setups[dialect], ...tables].join('\n') });

  const exported = async (table: string, format: string): Promise<string> => {
    const path = `/items/${table}?sort=id&limit=-1&export=${format}`;
    const headers = { authorization: `Bearer ${adminToken}` };
    return (await fetch(server().url + path, { headers })).text();
  };

  it.each(columns)('$type', async ({ table, values }) => {
    const rows = [null, ...values].map((v, index) => ({ id: index + 1, v }));
    await server().request('POST', `/items/${table}`, { as: 'admin', body: rows });
    for (const [format, type] of Object.entries(types)) {
      const before = await exported(table, format);
      await server().execute(`delete from ${table}`);
      const raw = `--------b7e1\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: ${type}\r\n\r\n${before}\r\n--------b7e1--\r\n`;
      const headers = { 'content-type': 'multipart/form-data; boundary=------b7e1' };
      const answer = await server().request('POST', `/utils/import/${table}`, { as: 'admin', raw, headers });
      expect([answer.status, answer.text, before.slice(0, 300)]).toEqual([200, '', before.slice(0, 300)]);
      expect(await exported(table, format)).toBe(before);
    }
  });
});
