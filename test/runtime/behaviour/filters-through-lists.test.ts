/** Filters through lists have the same meaning in each form: with missing references, negations and grants. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { useServer } from '../harness/use-server.js';
import type { TestAccess } from '../server-harness.js';

const dialects = dialectsOf(import.meta.url);

/** Writer 3 has no book, book 13 no writer, link 104 no book, link 105 no tag. */
const sql = `
  create table writer (id int primary key);
  create table book (id int primary key, writer_id int null, hidden int not null, foreign key (writer_id) references writer (id));
  create table tag (id int primary key, name varchar(20) null);
  create table link (id int primary key, book_id int null, tag_id int null,
    foreign key (book_id) references book (id), foreign key (tag_id) references tag (id));
  insert into writer values (1), (2), (3);
  insert into book values (10, 1, 0), (11, 2, 0), (12, 2, 1), (13, null, 0);
  insert into tag values (1, 'red'), (2, 'blue'), (3, null);
  insert into link values (100, 10, 1), (101, 11, 2), (102, 12, 1), (103, 13, 1), (104, null, 1), (105, 10, null), (106, 11, 3);`;

const access: TestAccess = {
  policies: {
    Reader: [
      { collection: 'writer', action: 'read', fields: ['*'] },
      { collection: 'book', action: 'read', fields: ['*'], permissions: { hidden: { _eq: 0 } } },
      { collection: 'link', action: 'read', fields: ['*'] },
      { collection: 'tag', action: 'read', fields: ['*'] },
    ],
    /** Only the writers of red books. */
    Red: [
      {
        collection: 'writer',
        action: 'read',
        fields: ['*'],
        permissions: { book: { link: { tag_id: { name: { _eq: 'red' } } } } },
      },
    ],
  },
  users: { reader: { policies: ['Reader'] }, red: { policies: ['Red'] } },
};

const red = { link: { tag_id: { name: { _eq: 'red' } } } };

describe.each(dialects)('filters through lists on %s', (dialect) => {
  const server = useServer({ dialect, sql, access });

  it.each<[string, unknown, readonly number[], readonly number[]]>([
    ['two lists', { book: red }, [1, 2], [1]],
    ['none of a list', { book: { _none: red } }, [3], [2, 3]],
    ['none within some', { book: { link: { _none: { tag_id: { name: 'red' } } } } }, [2], [2]],
    ['some within none', { book: { _none: { link: { _some: { id: { _gt: 100 } } } } } }, [3], [3]],
    ['alternatives', { _or: [{ book: red }, { id: 3 }] }, [1, 2, 3], [1, 3]],
    ['a missing tag', { book: { link: { tag_id: { _null: true } } } }, [1], [1]],
    ['a tag without a name', { book: { link: { tag_id: { name: { _null: true } } } } }, [1, 2], [1, 2]],
    ['not a name', { book: { link: { tag_id: { name: { _neq: 'red' } } } } }, [2], [2]],
    ['a list and back', { book: { writer_id: { book: red } } }, [1, 2], [1]],
    ['no list', { book: { _null: true } }, [3], [3]],
  ])('%s', async (_, filter, all, visible) => {
    const ids = async (as: string): Promise<unknown> => {
      const query = `fields=id&sort=id&filter=${encodeURIComponent(JSON.stringify(filter))}`;
      const { data, text } = await server().request('GET', `/items/writer?${query}`, { as });
      return Array.isArray(data) ? data.map(({ id }: { id: number }) => id) : text;
    };
    expect([await ids('admin'), await ids('reader')]).toEqual([all, visible]);
  });

  it('apply in rules', async () => {
    const { data } = await server().request('GET', '/items/writer?sort=id', { as: 'red' });
    expect(data).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await server().request('GET', '/items/writer/3', { as: 'red' })).codes).toEqual(['FORBIDDEN']);
  });
});
