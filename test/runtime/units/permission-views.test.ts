/** Permissions as callers see them: as a summary, for one item, and as the visible part of the API. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  manyToOne,
  type Collection,
} from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { createPolicyIndex, type PolicySet } from '../../../runtime/access/policies.js';
import { allowedActions, summarizePermissions } from '../../../runtime/access/summary.js';
import { isVisibleAt, visibilityOf } from '../../../runtime/access/visibility.js';
import { accessRows, permission } from './access-rows.js';

const registry = createRegistry([
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['id'],
    fields: { id: integer(), title: string(), author: integer() },
    relations: { author: manyToOne('pen', ['author'], ['id']) },
  }),
  defineCollection({ name: 'pen', path: '/items/pen', key: ['id'], fields: { id: integer() } }),
  defineCollection({
    name: 'log',
    path: '/items/log',
    readonly: true,
    key: ['id'],
    fields: { id: integer() },
  }),
]);

const user = { id: 'ann', role: null, status: 'active', columns: {} };

const policiesWith = (permissions: readonly Parameters<typeof permission>[1][], admin = false): PolicySet =>
  createPolicyIndex(
    accessRows({
      policies: [{ id: 'p', admin }],
      access: [{ policy: 'p', role: null, user: 'ann' }],
      permissions: permissions.map((parts) => permission('p', parts)),
    }),
  ).policiesOf(user);

const onlyFirst = { permissions: { id: { _eq: 1 } } };

const writer = policiesWith([
  { fields: ['title', 'id'] },
  { fields: ['id', 'author'], ...onlyFirst },
  { action: 'create', presets: { title: 'x' } },
  { action: 'update', fields: ['title'], ...onlyFirst },
  { action: 'delete', fields: null, presets: { title: 'x' } },
  { action: 'update', fields: null, ...onlyFirst },
  { collection: 'gone' },
]);

const allowed = (policies: PolicySet, name = 'book') =>
  allowedActions(registry.collections.get(name) as Collection, policies);

const visibility = (policies: PolicySet, caller: typeof user | null = user) =>
  visibilityOf({ user: caller, policies }, registry);

const none = { access: 'none' };

describe('the summary', () => {
  it('has the actions on each collection of which any is permitted', () => {
    expect(summarizePermissions(writer, registry)).toEqual({
      book: {
        create: { access: 'full', fields: ['*'], presets: { title: 'x' } },
        read: { access: 'full', fields: ['title', 'id', 'author'] },
        update: { access: 'partial', fields: ['title'] },
        delete: { access: 'full' },
        share: none,
      },
    });
  });

  it('of an administrator has everything but the writes of what only svc writes', () => {
    const full = { access: 'full', fields: ['*'] };
    const whole = { create: full, read: full, update: full, delete: { access: 'full' }, share: none };
    expect(summarizePermissions(policiesWith([], true), registry)).toEqual({
      book: whole,
      pen: whole,
      log: { create: none, read: full, update: none, delete: none, share: none },
    });
  });

  it('of an anonymous caller is empty', () => {
    expect(summarizePermissions(policiesWith([]), registry)).toEqual({});
  });
});

describe('the actions on an item', () => {
  it('are those with a permission', () => {
    expect(allowed(writer)).toEqual({
      update: { access: true, fields: ['title'] },
      delete: { access: true },
      share: { access: false },
    });
    expect(allowed(writer, 'pen')).toEqual({
      update: { access: false },
      delete: { access: false },
      share: { access: false },
    });
  });

  it('include the presets of an update', () => {
    const presets = policiesWith([{ action: 'update', fields: ['id'], presets: { title: 'x' } }]);
    expect(allowed(presets).update).toEqual({ access: true, fields: ['id'], presets: { title: 'x' } });
  });
});

describe('what a caller sees of the API', () => {
  it('are only the names that a permission lists', () => {
    const { visibleNames } = visibility(writer);
    expect(visibleNames('book', 'read')).toEqual(new Set(['id', 'title', 'author']));
    expect(visibleNames('book', 'create')).toBe('*');
    expect(visibleNames('pen', 'read')).toBeNull();
    expect(visibleNames('gone', 'read')).toBeNull();
  });

  it('can be null where not every permission lists it', () => {
    const { conditionalNames } = visibility(
      policiesWith([
        { fields: ['id'], permissions: { id: { _gt: 1 } } },
        { fields: ['id', 'title'], ...onlyFirst },
      ]),
    );
    expect(conditionalNames('book')).toEqual(new Set(['title']));
    expect(conditionalNames('pen')).toEqual(new Set());
  });

  it('include presets', () => {
    const { presetNames } = visibility(writer);
    expect(presetNames('book', 'create')).toEqual(new Set(['title']));
    expect(presetNames('book', 'read')).toEqual(new Set());
    expect(presetNames('pen', 'create')).toEqual(new Set());
  });

  it('depend on the caller', () => {
    expect(visibility(writer).level).toBe('user');
    expect(visibility(writer, null).level).toBe('public');
    expect(visibility(policiesWith([], true)).level).toBe('admin');
    expect(visibility(policiesWith([], true), null).level).toBe('admin');
    expect(visibility({ ...writer, operator: true }).level).toBe('operator');
  });

  it.each<[unknown, readonly string[]]>([
    [undefined, ['public', 'user', 'operator', 'admin']],
    ['public', ['public', 'user', 'operator', 'admin']],
    ['user', ['user', 'operator', 'admin']],
    ['operator', ['operator', 'admin']],
    ['admin', ['admin']],
  ])('has the parts for %s at the levels %j', (access, levels) => {
    const all = ['public', 'user', 'operator', 'admin'] as const;
    expect(all.filter((level) => isVisibleAt(access, level))).toEqual(levels);
  });
});
