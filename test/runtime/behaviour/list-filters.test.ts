/** Filters on a list itself: by the keys of its rows, and by whether it has any. */
import { describe, expect, it } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { settingsOf, type TestAccess } from '../server-harness.js';

const settings = settingsOf(import.meta.url);

const sql = `
create table author (id int primary key, name varchar(20));
create table book (id int primary key, author int, title varchar(20), foreign key (author) references author (id));
create table tag (word varchar(9) primary key);
create table book_tag (book int, tag varchar(9), primary key (book, tag), foreign key (book) references book (id), foreign key (tag) references tag (word));
insert into author values (1, 'one'), (2, 'two'), (3, 'none');
insert into book values (10, 1, 'a'), (11, 1, 'b'), (20, 2, 'a'), (30, null, 'c');
insert into tag values ('x'), ('y');
insert into book_tag values (10, 'x'), (20, 'y');
`;

const meta = {
  relations: [
    { many_collection: 'book', many_field: 'author', one_collection: 'author', one_field: 'books' },
    { many_collection: 'book_tag', many_field: 'book', one_collection: 'book', one_field: 'tags' },
  ],
};

const authors = { collection: 'author', action: 'read', fields: ['*'] } as const;
const books = { collection: 'book', action: 'read', fields: ['*'] } as const;

const access: TestAccess = {
  policies: {
    Reader: [authors, { ...books, permissions: { title: { _eq: 'a' } } }],
    Keyless: [authors, { ...books, fields: ['title'] }],
    Ruled: [{ ...authors, permissions: { books: { id: { _null: true } } } }, books],
    With: [{ ...authors, permissions: { books: { _in: [11, 30] } } }, books],
  },
  users: {
    reader: { policies: ['Reader'] },
    keyless: { policies: ['Keyless'] },
    ruled: { policies: ['Ruled'] },
    with: { policies: ['With'] },
  },
};

describe.each(settings)('filters on lists on $dialect through $listener', (setting) => {
  const server = useServer({ ...setting, sql, meta, access });

  const find = async (as: string, filter: unknown): Promise<unknown> => {
    const path = `/items/author?fields=id&sort=id&filter=${encodeURIComponent(JSON.stringify(filter))}`;
    const { status, data, codes } = await server().request('GET', path, { as });
    return status === 200 ? (data as { id: number }[]).map(({ id }) => id) : codes;
  };

  it.each([
    [{ _eq: 11 }, [1]],
    [{ _eq: '11' }, [1]],
    [{ _in: [11, 20] }, [1, 2]],
    [{ _in: '11,99' }, [1]],
    [{ _neq: 11 }, [2, 3]],
    [{ _nin: [11, 20] }, [3]],
    [{ _neq: 11, _null: false }, [2]],
    [{ _eq: 10, _in: [11] }, [1]],
    [{ _eq: null }, [3]],
    [{ _null: true }, [3]],
    [{ _null: false }, [1, 2]],
    [{ _nnull: true }, [1, 2]],
    [{ _nnull: false }, [3]],
    [{ id: { _null: true } }, [3]],
    [{ id: { _nnull: false } }, [3]],
    [{ id: { _null: false } }, [1, 2]],
    [{ id: { _nnull: true } }, [1, 2]],
    [{ id: { _neq: 11 } }, [1, 2]],
    [{ _some: { id: { _null: true } } }, []],
    [{ _none: { id: { _null: true } } }, [1, 2, 3]],
    [{ id: { _null: true }, title: 'a' }, []],
    [{ _or: [{ id: { _null: true } }] }, []],
    [{ title: { _null: true } }, []],
    [{ tags: { _null: true } }, [1]],
  ])('finds the owners whose list matches %j', async (filter, ids) => {
    expect(await find('admin', { books: filter })).toEqual(ids);
  });

  it.each([
    [{ books: { _eq: 'x' } }],
    [{ books: { _in: [1, 'x'] } }],
    [{ books: { _gt: 1 } }],
    [{ books: { _contains: '1' } }],
    [{ books: { tags: { _eq: 'x' } } }],
    [{ books: { _eq: 1, title: 'a' } }],
  ])('%j is an invalid query', async (filter) => {
    expect(await find('admin', filter)).toEqual(['INVALID_QUERY']);
  });

  it('excludes unreadable rows from lists', async () => {
    expect(await find('reader', { books: { _eq: 11 } })).toEqual([]);
    expect(await find('reader', { books: { _neq: 11 } })).toEqual([1, 2, 3]);
    expect(await find('reader', { books: { id: { _null: true } } })).toEqual([3]);
    for (const filter of [{ _eq: 11 }, { _nin: [11] }, { id: { _null: true } }])
      expect(await find('keyless', { books: filter })).toEqual(['FORBIDDEN']);
  });

  it('rules on the key of a list keep their meaning', async () => {
    expect(await find('ruled', {})).toEqual([]);
    expect(await find('with', {})).toEqual([1]);
  });

  it.each([
    ['_eq: 11', [1]],
    ['_in: [11, 20]', [1, 2]],
    ['_neq: 11', [2, 3]],
    ['_nin: [11, 20]', [3]],
    ['id: { _null: true }', [3]],
    ['_null: true', [3]],
  ])('finds the same owners in GraphQL by %s', async (filter, ids) => {
    const query = `{ author(filter: { books: { ${filter} } }, sort: ["id"]) { id } }`;
    for (const as of ['admin', 'with']) {
      const { data } = await server().request('POST', '/graphql', { as, body: { query } });
      const seen = as === 'admin' ? ids : ids.filter((id) => id === 1);
      expect(data).toEqual({ author: seen.map((id) => ({ id: String(id) })) });
    }
  });
});
