/** Columns of CSV where the items of a list differ, and only later ones have what the first ones lack. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { access, meta, sqlOf, uuid } from '../behaviour/many-to-any.js';
import { useServer } from '../harness/use-server.js';

/** More than the first page of an export has. */
const count = 1_100;

describe.each(dialectsOf(import.meta.url))('columns of a long export of %s', (dialect) => {
  const rows = Array.from({ length: count }, (_, index) => `(${index + 100}, 3, 'note', '1', 1)`);
  const last = `(5000, 3, 'quote', '${uuid(1)}', 1), (5001, 3, 'tag', 'red', 1)`;
  const more = `insert into block (id, page, kind, item, sort) values ${rows.join()}, ${last};`;
  const server = useServer({ dialect, sql: `${sqlOf(dialect)}\n${more}`, meta, access });

  it('are those of every target of a many-to-any relation', async () => {
    const fields = 'id,item:note.heading,item:quote.source,item:tag.weight';
    const path = `/items/block?fields=${fields}&filter[page]=3&sort=id&limit=-1&export=csv`;
    const lines = (await server().request('GET', path, { as: 'admin' })).text.split('\n');
    expect(lines).toHaveLength(count + 3);
    expect([lines[0], lines[1], ...lines.slice(-2)]).toEqual([
      '"id","item.heading","item.source","item.weight"',
      '100,"First",,',
      '5000,,"Ada",',
      '5001,,,5',
    ]);
  });
});
