/** The GraphQL schema is built for what callers may use, neither for each request nor for each caller. */
import type * as graphql from 'graphql';
import { describe, expect, it, vi } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const built = vi.hoisted(() => ({ count: 0 }));

vi.mock('graphql', async (original) => {
  const module = await original<typeof graphql>();
  return {
    ...module,
    buildASTSchema: (...options: Parameters<typeof module.buildASTSchema>) => {
      built.count += 1;
      return module.buildASTSchema(...options);
    },
  };
});

const tables = 100;
const names = Array.from({ length: tables }, (_, index) => `t${index}`);
const read = (collection: string) => ({ collection, action: 'read', fields: ['*'] }) as const;
const users = Array.from({ length: 20 }, (_, index) => `user${index}`);

describe('a schema of 100 collections', () => {
  const server = useServer({
    dialect: 'sqlite',
    sql: names.map((name) => `create table ${name} (id integer primary key, name text);`).join('\n'),
    access: {
      policies: { Reader: names.map(read), Few: [read('t1')] },
      users: {
        ...Object.fromEntries(users.map((name) => [name, { policies: ['Reader'] }])),
        few: { policies: ['Few'] },
      },
    },
  });

  it('is built once for each set of policies, however many callers send however many documents', async () => {
    const callers = ['admin', 'few', ...users];
    for (let round = 0; round < 3; round += 1) {
      for (const as of callers) {
        const { data } = await ask(server(), `{ a${round}: t1(limit: ${round + 1}) { id name } }`, { as });
        expect(data).toEqual({ [`a${round}`]: [] });
      }
    }
    expect(built.count).toBe(3);
  });

  it('is built again for those whose rights change, and for no others', async () => {
    const before = built.count;
    const body = { query: { filter: { collection: { _eq: 't1' } } }, data: { fields: ['id'] } };
    const { status } = await server().request('PATCH', '/permissions', { as: 'admin', body });
    expect(status).toBe(200);
    for (const as of ['admin', 'few', ...users]) {
      const { problems } = await ask(server(), '{ t1 { name } }', { as });
      expect([as, problems.length]).toEqual([as, as === 'admin' ? 0 : 1]);
    }
    expect(built.count - before).toBe(2);
  });
});
