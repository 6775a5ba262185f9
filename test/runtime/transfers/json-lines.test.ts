/** NDJSON of stored JSON that has line breaks of its own. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import { adminToken } from '../server-harness.js';

const stored = [' {"a":\r\n [1,\n "x, y"]} ', '[\n]', '"x"', 'null'];

describe.each(dialectsOf(import.meta.url))('NDJSON of %s', (dialect) => {
  const rows = stored.map((text, index) => `(${index}, '${text}')`);
  const sql = `create table entry (id integer primary key, v json); insert into entry (id, v) values ${rows.join()};`;
  const server = useServer({ dialect, sql });

  it('has one item a line', async () => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const answer = await fetch(`${server().url}/items/entry?sort=id&export=ndjson`, { headers });
    const lines = (await answer.text()).trimEnd().split(/\r?\n|\r/);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      stored.map((text, id) => ({ id, v: JSON.parse(text) as unknown })),
    );
  });
});
