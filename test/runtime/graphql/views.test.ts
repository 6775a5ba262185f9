/** The GraphQL schema is built for what callers may use, neither for each request nor for each caller. */
import { GraphQLSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi, type MockInstance } from 'vitest';
import { useServer } from '../harness/use-server.js';
import { ask } from './library.js';

const tables = 100;
const names = Array.from({ length: tables }, (_, index) => `t${index}`);
const read = (collection: string) => ({ collection, action: 'read', fields: ['*'] }) as const;
const users = Array.from({ length: 20 }, (_, index) => `user${index}`);

// in order: rights change in the end
describe('a schema of 100 collections', { shuffle: false }, () => {
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

  let getType: MockInstance<GraphQLSchema['getType']>;
  beforeAll(() => {
    getType = vi.spyOn(GraphQLSchema.prototype, 'getType');
  });
  afterAll(() => getType.mockRestore());
  /** Returns the schemas whose types were asked for. */
  const schemas = (): ReadonlySet<unknown> => new Set(getType.mock.contexts);

  it('is built once for each set of policies, however many callers send however many documents', async () => {
    const callers = ['admin', 'few', ...users];
    for (let round = 0; round < 3; round += 1) {
      for (const as of callers) {
        const { data } = await ask(server(), `{ a${round}: t1(limit: ${round + 1}) { id name } }`, { as });
        expect(data).toEqual({ [`a${round}`]: [] });
      }
    }
    expect(schemas().size).toBe(3);
  });

  it('is built again for those whose rights change, and for no others', async () => {
    const before = schemas();
    const body = { query: { filter: { collection: { _eq: 't1' } } }, data: { fields: ['id'] } };
    const { status } = await server().request('PATCH', '/permissions', { as: 'admin', body });
    expect(status).toBe(200);
    for (const as of ['admin', 'few', ...users]) {
      const { problems } = await ask(server(), '{ t1 { name } }', { as });
      expect([as, problems.length]).toEqual([as, as === 'admin' ? 0 : 1]);
    }
    expect(schemas().size - before.size).toBe(2);
  });
});
