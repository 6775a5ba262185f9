/** No value of a `hash` field, and no static token, is stored as it was sent, wherever in a payload it stands. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex } from '../../../runtime/access/policies.js';
import { hashCreate, hashUpdate } from '../../../runtime/items/hash.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const secret = string({ hash: true, nullable: true });
const token = string({ token: true, nullable: true });
const toStoredToken = (plain: string): Promise<string> => Promise.resolve(`stored ${plain}`);

const registry = createRegistry([
  defineCollection({
    name: 'shelf',
    path: '/items/shelf',
    key: ['id'],
    fields: { id: integer(), label: string({ nullable: true }) },
    relations: { boxes: oneToMany('box', ['shelf'], ['id']) },
  }),
  defineCollection({
    name: 'box',
    path: '/items/box',
    key: ['id'],
    fields: { id: integer(), shelf: integer({ nullable: true }), secret, token },
    relations: { shelf: manyToOne('shelf', ['shelf'], ['id']), lids: oneToMany('lid', ['box'], ['id']) },
  }),
  defineCollection({
    name: 'lid',
    path: '/items/lid',
    key: ['id'],
    fields: { id: integer(), box: integer({ nullable: true }), secret, token },
    relations: { box: manyToOne('box', ['box'], ['id']) },
  }),
]);
const collectionOf = (name: string) => registry.collections.get(name) as Collection;

const { policiesOf } = createPolicyIndex({
  version: '1',
  roles: [],
  policies: [{ id: 'admin', admin: true }],
  access: [{ policy: 'admin', role: null, user: 'root' }],
  permissions: [],
});
const writing = {
  policies: policiesOf({ id: 'root', role: null, status: 'active', columns: {} }),
  maxDepth: 10,
  resolve: (value: unknown) => value,
  matches: createMatcher(),
  fills: { user: null, now: () => '', uuid: () => '' },
};

/** Every value of the fields called `secret` or `token`, wherever in a plan. */
const secretsIn = (plan: unknown): unknown[] => {
  if (plan instanceof Map)
    return ['secret', 'token'].flatMap((name) => (plan.has(name) ? [plan.get(name)] : []));
  if (Array.isArray(plan)) return plan.flatMap(secretsIn);
  if (typeof plan !== 'object' || plan === null) return [];
  const {
    collection: _c,
    grant: _g,
    relation: _r,
    where: _w,
    visible: _v,
    checks: _k,
    ...rest
  } = plan as Record<string, unknown>;
  return Object.values(rest).flatMap(secretsIn);
};

const hashed = expect.stringMatching(/^\$argon2id\$/);

describe('a secret', () => {
  it.each<[string, string, object, number]>([
    ['of the item', 'box', { id: 1, secret: 'plain' }, 1],
    ['of an item made in a list', 'shelf', { id: 1, boxes: [{ secret: 'plain' }] }, 1],
    ['of an item made in a list of a list', 'shelf', { id: 1, boxes: [{ lids: [{ secret: 'plain' }] }] }, 1],
    ['of an item changed in a list', 'shelf', { boxes: { update: [{ id: 2, secret: 'plain' }] } }, 2],
    [
      'of an item made below one that is changed',
      'shelf',
      { boxes: { update: [{ id: 2, lids: [{ secret: 'plain' }] }] } },
      2,
    ],
  ])('%s is hashed', async (_, name, payload, count) => {
    const [plan] = planUpdates(collectionOf(name), [{ key: [1], payload }], writing);
    const made = await hashCreate(planCreate(collectionOf(name), [payload], writing), toStoredToken);
    for (const secrets of [secretsIn(await hashUpdate(plan as never, toStoredToken)), secretsIn(made)])
      expect(secrets).toEqual(Array.from({ length: count }, () => hashed));
    const tokens = JSON.parse(JSON.stringify(payload).replaceAll('"secret"', '"token"')) as object;
    const withTokens = await hashCreate(planCreate(collectionOf(name), [tokens], writing), toStoredToken);
    expect(secretsIn(withTokens)).toEqual(Array.from({ length: count }, () => 'stored plain'));
  });

  it('of an item in place of a key is hashed, whether the item is created or changed', async () => {
    const payload = { id: 1, box: { id: 2, secret: 'plain' } };
    const made = await hashCreate(planCreate(collectionOf('lid'), [payload], writing), toStoredToken);
    const [parent] = made.parents;
    expect(secretsIn(parent?.create)).toEqual([hashed]);
    expect(secretsIn(parent?.update)).toEqual([hashed]);
    const changes = planUpdates(collectionOf('lid'), [{ key: [1], payload }], writing);
    const [change] = await Promise.all(changes.map((plan) => hashUpdate(plan, toStoredToken)));
    expect(secretsIn(change?.parents)).toEqual([hashed, hashed]);
  });

  it('that is null stays null', async () => {
    expect(
      secretsIn(
        await hashCreate(planCreate(collectionOf('box'), [{ secret: null }], writing), toStoredToken),
      ),
    ).toEqual([null]);
  });
});
