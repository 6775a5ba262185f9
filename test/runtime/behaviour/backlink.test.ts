/** Wildcards lead back to the parent of a list, unless `backlink` is false. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { sampleSettings } from '../server-harness.js';

const sql = `
  create table writer (id int primary key, name varchar(20));
  create table book (id int primary key, writer int, editor int,
    foreign key (writer) references writer (id), foreign key (editor) references writer (id));
  insert into writer values (1, 'Ada'), (2, 'Bob');
  insert into book values (7, 1, 2);`;

const meta = {
  relations: [
    { many_collection: 'book', many_field: 'writer', one_collection: 'writer', one_field: 'books' },
    { many_collection: 'book', many_field: 'editor', one_collection: 'writer', one_field: 'edited' },
  ],
};

describe.each(sampleSettings(import.meta.url))('backlink on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql, meta });
  const read = async (path: string): Promise<unknown> => {
    const { status, data, codes } = await server().request('GET', path, { as: 'admin' });
    return status === 200 ? data : [status, ...codes];
  };
  const bob = { id: 2, name: 'Bob' };

  it.each(['', '&backlink=true', '&backlink='])('reads the parent again with "%s"', async (parameter) => {
    expect(await read(`/items/writer/1?fields=id,books.*.*${parameter}`)).toEqual({
      id: 1,
      books: [
        {
          id: 7,
          writer: { id: 1, name: 'Ada', books: [7], edited: [] },
          editor: { ...bob, books: [], edited: [7] },
        },
      ],
    });
  });

  it('stops at the relation by which it came, and at no other', async () => {
    expect(await read('/items/writer/1?fields=*.*.*&backlink=false')).toEqual({
      id: 1,
      name: 'Ada',
      books: [{ id: 7, writer: 1, editor: { ...bob, books: [], edited: [7] } }],
      edited: [],
    });
    expect(await read('/items/book/7?fields=writer.*.*&backlink=false')).toEqual({
      writer: { id: 1, name: 'Ada', books: [7], edited: [] },
    });
  });

  it('does not touch what is named', async () => {
    expect(await read('/items/writer/1?fields=books.writer.name&backlink=false')).toEqual({
      books: [{ writer: { name: 'Ada' } }],
    });
  });

  it('takes true and false, in the body of a SEARCH too', async () => {
    expect(await read('/items/writer?backlink=maybe')).toEqual([400, 'INVALID_QUERY']);
    const body = { query: { fields: ['books.*.*'], backlink: false, filter: { id: 1 } } };
    const { data } = await server().request('SEARCH', '/items/writer', { as: 'admin', body });
    expect(data).toEqual([{ books: [{ id: 7, writer: 1, editor: { ...bob, books: [], edited: [7] } }] }]);
  });
});
