/** Keys of a payload that name rows which lists of the same payload create, at any depth. */
import { describe, expect, it } from 'vitest';
import { dialectsOf } from '../../databases.js';
import { everything } from '../harness/permissions.js';
import { sqlFor } from '../harness/sql.js';
import { useServer } from '../harness/use-server.js';

const dialects = dialectsOf(import.meta.url);

const schema = `
create table "task" ("id" varchar(20) primary key, "after" varchar(20),
  constraint "task_after" foreign key ("after") references "task" ("id"));
create table "wish" ("id" {counter}, "owner" varchar(20), "chosen" varchar(20),
  constraint "wish_owner" foreign key ("owner") references "task" ("id"),
  constraint "wish_chosen" foreign key ("chosen") references "task" ("id"));
`;

describe.each(dialects)('on %s', (dialect) => {
  const server = useServer({
    dialect,
    sql: sqlFor(dialect, schema),
    meta: {
      relations: [
        { many_collection: 'task', many_field: 'after', one_collection: 'task', one_field: 'next' },
        { many_collection: 'wish', many_field: 'owner', one_collection: 'task', one_field: 'wishes' },
      ],
    },
    access: {
      policies: {
        Clerk: [
          ...everything('task', ['create', 'update']),
          { collection: 'task', action: 'read', fields: ['*'], permissions: { id: { _neq: 'hidden' } } },
          ...everything('wish', ['create', 'read', 'update']),
        ],
      },
      users: { clerk: { policies: ['Clerk'] } },
    },
  });

  it.each(['b', 'c', 'd'])('the key %s of a row that is created in a list is known', async (chosen) => {
    const task = (key: string, next: readonly object[] = []) => ({
      id: `${chosen} ${key}`,
      next: { create: next },
    });
    const body = {
      ...task('a', [task('b', [task('c', [task('d')])])]),
      wishes: [{ chosen: `${chosen} ${chosen}` }],
    };
    const path = '/items/task?fields=id,wishes.chosen';
    const { status, data } = await server().request('POST', path, { as: 'clerk', body });
    expect([status, data]).toEqual([200, { id: `${chosen} a`, wishes: body.wishes }]);
  });

  it('another key is none', async () => {
    const body = { id: 'x', next: [{ id: 'y' }], wishes: [{ chosen: 'z' }] };
    const { status, codes } = await server().request('POST', '/items/task', { as: 'clerk', body });
    expect([status, codes]).toEqual([400, ['INVALID_FOREIGN_KEY']]);
  });
});
