/** Plans of writes to teams and members, with the problems of their payloads. */
import {
  createRegistry,
  defineCollection,
  manyToOne,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { date, decimal, integer, string, timestamp, uuid, text } from '../../../contract/fields.js';
import type { Permission } from '../../../runtime/access/grant.js';
import { createPolicyIndex, type PolicySet } from '../../../runtime/access/policies.js';
import type { WriteContext } from '../../../runtime/plan/row-context.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import type { UpdatePlan } from '../../../runtime/plan/write-plan.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const registry = createRegistry([
  defineCollection({
    name: 'team',
    path: '/items/team',
    key: ['id'],
    fields: { id: integer({ auto: true }), label: string() },
    relations: { members: oneToMany('member', ['team'], ['id']) },
  }),
  defineCollection({
    name: 'member',
    path: '/items/member',
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      name: string({ length: 5, required: true }),
      age: integer({ bits: 8, nullable: true }),
      fee: decimal({ precision: 5, scale: 2, nullable: true }),
      joined: date({ nullable: true }),
      tag: text({ generated: true }),
      status: string({ readonly: true }),
      secret: string({ conceal: true, length: 3, nullable: true }),
      pin: string({ hash: true, nullable: true }),
      level: integer({
        nullable: true,
        validation: { level: { _between: [1, 5] } },
        validationMessage: 'levels go from 1 to 5',
      }),
      code: string({ nullable: true, conceal: true, validation: { code: { _regex: '^[a-z]$' } } }),
      nick: string({ nullable: true, validation: { nick: { _regex: '^[a-z]$' } } }),
      team: integer({ nullable: true }),
    },
    relations: { team: manyToOne('team', ['team'], ['id']) },
  }),
  defineCollection({
    name: 'entry',
    path: '/items/entry',
    key: ['id'],
    fields: {
      id: uuid({ fill: 'uuid' }),
      text: text({ nullable: true }),
      author: string({ nullable: true, fill: 'user-created' }),
      editor: string({ nullable: true, fill: 'user-updated' }),
      made: timestamp({ nullable: true, fill: 'date-created' }),
      changed: timestamp({ nullable: true, fill: 'date-updated' }),
    },
  }),
  defineCollection({
    name: 'visitor',
    path: '/items/visitor',
    key: ['id'],
    triggers: true,
    fields: {
      id: integer({ auto: true }),
      age: integer({ nullable: true }),
      pin: string({ hash: true, nullable: true }),
      token: string({ token: true, nullable: true }),
    },
  }),
  defineCollection({
    name: 'pair',
    path: '/items/pair',
    key: ['left', 'right'],
    fields: { left: integer(), right: integer(), weight: integer({ nullable: true }) },
  }),
]);

export const collectionOf = (name: string): Collection => registry.collections.get(name) as Collection;

export type Given = Partial<Permission>;

const everything = { action: 'create', permissions: null, validation: null, presets: null, fields: ['*'] };

const user = { id: 'ann', role: null, status: 'active', columns: {} };

/** Policies of an administrator, or of a user with these permissions. */
export const policiesOf = (collection: string, permissions?: readonly Given[]): PolicySet =>
  createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: permissions === undefined }],
    access: [{ policy: 'p', role: null, user: user.id }],
    permissions: (permissions ?? []).map((given) =>
      Object.assign({ policy: 'p', collection }, everything, given),
    ),
  }).policiesOf(user);

export const writing = (policies: PolicySet): WriteContext => ({
  policies,
  maxDepth: 10,
  resolve: (value) => (value === '$ME' ? 'ann' : value),
  matches: createMatcher(),
  fills: { user: 'ann', now: () => 'now', uuid: () => 'new' },
});

export type Payload = Readonly<Record<string, unknown>>;

export const create = (name: string, payloads: readonly unknown[], permissions?: readonly Given[]) =>
  planCreate(collectionOf(name), payloads, writing(policiesOf(name, permissions)));

/** The rows of a plan as objects. */
export const created = (name: string, payload: Payload, permissions?: readonly Given[]): unknown =>
  create(name, [payload], permissions).rows.map((row) => Object.fromEntries(row))[0];

export const update = (
  name: string,
  payload: unknown,
  permissions?: readonly Given[],
): UpdatePlan | undefined =>
  planUpdates(
    collectionOf(name),
    [{ key: [1], payload }],
    writing(
      policiesOf(
        name,
        permissions?.map((given) => ({ action: 'update', ...given })),
      ),
    ),
  )[0];

export const updated = (name: string, payload: Payload, permissions?: readonly Given[]): unknown =>
  Object.fromEntries(update(name, payload, permissions)?.row ?? []);

/** Every problem: its code and its details. */
export const problemsOf = (run: () => unknown): readonly unknown[] => {
  try {
    run();
    return [];
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : [error];
    return problems.map((problem) => {
      if (problem instanceof ApiError) return Object.assign({ code: problem.code }, problem.details);
      throw problem;
    });
  }
};

export const messageOf = (run: () => unknown): string => {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

export const named = { name: 'a' };
