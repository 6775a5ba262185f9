/** Changes of access that a caller makes, for the tests of what it may grant. */
import { findEscalation, type AccessChange } from '../../../runtime/access/escalation.js';
import { createPolicyIndex, type AccessRows } from '../../../runtime/access/policies.js';
import { createRegistry, defineCollection, oneToMany } from '../../../contract/collection.js';
import { date, integer, json, string } from '../../../contract/fields.js';
import { accessRows, permission } from './access-rows.js';

export const max = { id: 'max', role: null };

export const office = ['10.0.0.0/8', '192.0.2.0/24'];
export const rated = { rating: { _gt: 3 } };
export const complete = { title: { _nnull: true } };

/** The same fields for every collection that a rule names. */
const registry = createRegistry(
  ['book', 'film', 'pen', 'note', 'secret', 'salary', 'svc_users'].map((name) =>
    defineCollection({
      name,
      path: `/items/${name}`,
      key: ['id'],
      fields: {
        id: integer(),
        title: string(),
        pages: integer(),
        price: integer(),
        rating: integer(),
        born: date(),
        pin: string({ conceal: true }),
        code: string({ hash: true }),
        data: json(),
        sealed: json({ conceal: true }),
      },
      relations: { parts: oneToMany('book', ['id'], ['id']) },
    }),
  ),
);

/** The policies of `max`: the first four policies; `other` and `root` permit more. */
export const before = accessRows({
  roles: [
    { id: 'chief', parent: null },
    { id: 'clerk', parent: 'chief' },
    { id: 'plain', parent: null },
  ],
  policies: [
    { id: 'own', admin: false },
    { id: 'office', admin: false, addresses: office },
    { id: 'strict', admin: false, secondFactor: true },
    { id: 'empty', admin: false },
    { id: 'other', admin: false },
    { id: 'root', admin: true },
    { id: 'unheld', admin: false, secondFactor: true },
  ],
  access: [
    ...['own', 'office', 'strict', 'empty'].map((policy) => ({ policy, role: null, user: 'max' })),
    { policy: 'other', role: 'chief', user: null },
    { policy: 'other', role: null, user: 'eve' },
  ],
  permissions: [
    permission('own', { fields: ['id', 'title', 'pages'] }),
    permission('own', { action: 'update', fields: ['title'], validation: complete }),
    permission('own', { action: 'create', fields: ['title'], presets: { kind: 'x' } }),
    permission('own', { collection: 'film', permissions: rated }),
    permission('own', { collection: 'pen', permissions: {} }),
    permission('own', { collection: 'pen', action: 'delete', fields: null }),
    permission('office', { collection: 'note' }),
    permission('strict', { collection: 'secret' }),
    permission('other', { collection: 'salary' }),
  ],
});

export type Edit = Partial<AccessRows>;

export interface Case {
  /** Changes of the rows before and after; `max` is the caller. */
  readonly from?: Edit;
  readonly to?: Edit;
  readonly user?: AccessChange['user'];
  readonly admin?: boolean;
  readonly usersBefore?: AccessChange['before']['users'];
  readonly usersAfter?: AccessChange['after']['users'];
  readonly holders?: AccessChange['after']['holders'];
}

export const find = ({ from = {}, to = {}, user = max, admin = false, holders = [], ...options }: Case) => {
  const rows = { ...before, ...from };
  const policies = createPolicyIndex(rows).policiesOf(
    { ...max, status: 'active', columns: {} },
    () => '10.0.0.1',
  );
  return findEscalation({
    caller: { ...policies, admin },
    user,
    registry,
    before: { rows, users: options.usersBefore ?? [], holders },
    after: { rows: { ...rows, ...to }, users: options.usersAfter ?? [], holders },
  });
};

export type Policy = AccessRows['policies'][number];

export const changing = (id: string, parts: Partial<Policy>): Edit => ({
  policies: before.policies.map((policy) => (policy.id === id ? { ...policy, ...parts } : policy)),
});

/** A new policy that permits these. */
export const creating = (parts: Partial<Policy>, ...permissions: AccessRows['permissions']): Edit => ({
  policies: [...before.policies, { id: 'new', admin: false, ...parts }],
  permissions: [...before.permissions, ...permissions],
});

export const giving = (...access: readonly Partial<AccessRows['access'][number]>[]): Edit => ({
  access: [
    ...before.access,
    ...access.map(({ policy = 'other', role = null, user = null }) => ({ policy, role, user })),
  ],
});
