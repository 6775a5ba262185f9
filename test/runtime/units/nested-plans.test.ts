/** The work of planning nested payloads: each row of a payload is planned once, however deep it is. */
import { expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'folder',
    path: '/items/folder',
    key: ['id'],
    fields: {
      id: integer(),
      code: string({ fill: 'uuid' }),
      title: string({ nullable: true }),
      parent: integer({ nullable: true }),
    },
    relations: {
      parent: manyToOne('folder', ['parent'], ['id']),
      folders: oneToMany('folder', ['parent'], ['id']),
    },
  }),
]);
const folder = collections.get('folder') as Collection;

type Payload = Readonly<Record<string, unknown>>;

/** Returns a folder with `depth` folders below it, each the only one of the folder above it. */
const chain = (depth: number, wrap: (below: Payload) => Payload): Payload =>
  Array.from({ length: depth }).reduce<Payload>(
    (below, _, index) => ({ id: depth - index, title: 'b', ...wrap(below) }),
    { id: depth + 1, title: 'a' },
  );

const countNewRows = (plan: (writing: Parameters<typeof planCreate>[2]) => unknown): number => {
  let count = 0;
  const policies = createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: true }],
    access: [{ policy: 'p', role: null, user: 'ann' }],
    permissions: [],
  }).policiesOf({ id: 'ann', role: null, status: 'active', columns: {} });
  const uuid = (): string => String((count += 1));
  plan({
    policies,
    maxDepth: 10,
    resolve: (value) => value,
    matches: createMatcher(),
    fills: { user: 'ann', now: () => 'now', uuid },
  });
  return count;
};

it.each(['list', 'parent'] as const)('plans the new row of each %s of a deep payload once', (kind) => {
  const payload = chain(10, (below) => (kind === 'list' ? { folders: [below] } : { parent: below }));
  expect(countNewRows((writing) => planCreate(folder, [payload], writing))).toBe(11);
  const { id, ...change } = payload;
  // the top one exists
  expect(
    countNewRows((writing) => planUpdates(folder, [{ key: [id as number], payload: change }], writing)),
  ).toBe(10);
});

it('plans rows once where lists and parents alternate', () => {
  const payload = chain(10, (below) =>
    (below.id as number) % 2 === 0 ? { folders: [below] } : { parent: below },
  );
  expect(countNewRows((writing) => planCreate(folder, [payload], writing))).toBe(11);
});

it('reports a problem at the end of a chain of lists once', () => {
  const payload = chain(10, (below) => ({ folders: [below] }));
  const faulty = JSON.parse(JSON.stringify(payload).replace('"a"', '7')) as Payload;
  expect(
    countNewRows((writing) =>
      expect(() => planCreate(folder, [faulty], writing)).toThrow('"title" takes a text'),
    ),
  ).toBe(11);
});
