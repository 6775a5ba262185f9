/** Payloads as rows to write, and everything that can be wrong with them. */
import { describe, expect, it } from 'vitest';
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
import { conditionTrue } from '../../../runtime/plan/types.js';
import { planCreate, planDelete, planUpdates } from '../../../runtime/plan/write.js';
import type { UpdatePlan } from '../../../runtime/plan/write-plan.js';

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
    name: 'pair',
    path: '/items/pair',
    key: ['left', 'right'],
    fields: { left: integer(), right: integer(), weight: integer({ nullable: true }) },
  }),
]);

const collectionOf = (name: string): Collection => registry.collections.get(name) as Collection;

type Given = Partial<Permission>;

const everything = { action: 'create', permissions: null, validation: null, presets: null, fields: ['*'] };

const user = { id: 'ann', role: null, status: 'active', columns: {} };

/** Policies of an administrator, or of a user with these permissions. */
const policiesOf = (collection: string, permissions?: readonly Given[]): PolicySet =>
  createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: permissions === undefined }],
    access: [{ policy: 'p', role: null, user: user.id }],
    permissions: (permissions ?? []).map((given) =>
      Object.assign({ policy: 'p', collection }, everything, given),
    ),
  }).policiesOf(user);

const writing = (policies: PolicySet): WriteContext => ({
  policies,
  maxDepth: 10,
  resolve: (value) => (value === '$ME' ? 'ann' : value),
  fills: { user: 'ann', now: () => 'now', uuid: () => 'new' },
});

type Payload = Readonly<Record<string, unknown>>;

const create = (name: string, payloads: readonly unknown[], permissions?: readonly Given[]) =>
  planCreate(collectionOf(name), payloads, writing(policiesOf(name, permissions)));

/** The rows of a plan as objects. */
const created = (name: string, payload: Payload, permissions?: readonly Given[]): unknown =>
  create(name, [payload], permissions).rows.map((row) => Object.fromEntries(row))[0];

const update = (name: string, payload: unknown, permissions?: readonly Given[]): UpdatePlan | undefined =>
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

const updated = (name: string, payload: Payload, permissions?: readonly Given[]): unknown =>
  Object.fromEntries(update(name, payload, permissions)?.row ?? []);

/** Every problem: its code and its details. */
const problemsOf = (run: () => unknown): readonly unknown[] => {
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

const messageOf = (run: () => unknown): string => {
  try {
    run();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

const named = { name: 'a' };

describe('a row', () => {
  it('has the values of its payload in stored form', () => {
    expect(created('member', { name: 'a', age: '5', fee: 1.005, joined: '2024-01-02T10:00:00Z' })).toEqual({
      name: 'a',
      age: 5,
      fee: '1.01',
      joined: '2024-01-02',
    });
    expect(created('member', { name: 'a', age: null, fee: undefined })).toEqual({
      name: 'a',
      age: null,
      fee: null,
    });
  });

  it('omits a generated key unless it is given', () => {
    expect(created('member', { id: null, name: 'a' })).toEqual(named);
    expect(created('member', { id: 5, name: 'a' })).toEqual({ id: 5, name: 'a' });
  });

  it('has its lists separately', () => {
    const plan = create('team', [{ label: 'x', members: [{ name: 'a' }] }]);
    expect(plan.rows.map((row) => [...row.keys()])).toEqual([['label']]);
    expect(plan.lists.map(({ relation, ownerIndex }) => [relation.name, ownerIndex])).toEqual([
      ['members', 0],
    ]);
  });

  it('gets a key, the user and the time on creation', () => {
    expect(created('entry', {})).toEqual({ id: 'new', author: 'ann', made: 'now' });
    expect(created('entry', { id: '0195f1c2-0000-7000-8000-00000000000a', author: 'bob' })).toEqual({
      id: '0195f1c2-0000-7000-8000-00000000000a',
      author: 'bob',
      made: 'now',
    });
  });

  it('gets the user and the time of the change on update', () => {
    expect(updated('entry', { text: 'x' })).toEqual({ text: 'x', editor: 'ann', changed: 'now' });
  });

  it('keeps its key on update', () => {
    expect(updated('member', { id: '1', name: 'b' })).toEqual({ name: 'b' });
    expect(problemsOf(() => updated('member', { id: 7, name: 'b' }))).toEqual([
      {
        code: 'INVALID_PAYLOAD',
        reason: '"id" is the key of an item of "member" and cannot be changed; leave it out',
      },
    ]);
    expect(updated('member', { age: 1 }, [{ presets: { id: 7 } }])).toEqual({ age: 1 });
    expect(created('pair', { left: 7, right: 8, weight: 2 })).toEqual({ left: 7, right: 8, weight: 2 });
  });
});

const say = (payload: Payload): string => messageOf(() => created('member', { ...named, ...payload }));

describe('an invalid value', () => {
  const where = { collection: 'member', field: 'age' };

  it.each<[string, Payload, Readonly<Record<string, unknown>>]>([
    [
      'is named with what would be right',
      { age: 'five' },
      {
        code: 'FAILED_VALIDATION',
        ...where,
        path: [],
        type: 'type',
        expected: 'a whole number',
        invalid: 'five',
      },
    ],
    ['may be out of range', { age: 500 }, { code: 'VALUE_OUT_OF_RANGE', ...where, value: 500 }],
    [
      'may be too long',
      { name: 'abcdef' },
      { code: 'VALUE_TOO_LONG', collection: 'member', field: 'name', value: 'abcdef' },
    ],
    [
      'may be null',
      { name: null },
      {
        code: 'FAILED_VALIDATION',
        collection: 'member',
        field: 'name',
        path: [],
        type: 'nnull',
        expected: 'a value',
      },
    ],
    ['may be missing', { name: undefined, age: 5 }, {}],
    [
      'is not shown where its field is concealed',
      { secret: 'abcd' },
      { code: 'VALUE_TOO_LONG', collection: 'member', field: 'secret' },
    ],
    [
      'is not shown where its field is hashed',
      { pin: 5 },
      {
        code: 'FAILED_VALIDATION',
        collection: 'member',
        field: 'pin',
        path: [],
        type: 'type',
        expected: 'a text',
      },
    ],
    [
      'may be an object in place of a key',
      { team: { id: 1 } },
      { code: 'INVALID_PAYLOAD', reason: '"team" takes the key of an item of "team"' },
    ],
    [
      'may be of a column that the database computes',
      { tag: 'x' },
      { code: 'INVALID_PAYLOAD', reason: '"tag" is computed by the database and cannot be written' },
    ],
    [
      'may be of a field that does not exist',
      { missing: 1 },
      { code: 'INVALID_PAYLOAD', reason: '"missing" is not a field of "member"' },
    ],
  ])('%s', (_, payload, want) => {
    const problems = problemsOf(() => created('member', { ...named, ...payload }));
    expect(problems).toEqual(Object.keys(want).length === 0 ? [] : [want]);
  });

  it('contains the expected value in its message', () => {
    expect(say({ age: 'x' })).toContain('"age" takes a whole number.');
    expect(say({ age: 500 })).toContain('"age" takes a whole number from -128 to 127.');
    expect(say({ name: 'abcdef' })).toContain('"name" takes at most 5 characters.');
    expect(say({ name: null })).toContain('"name" takes a value.');
  });

  it('is reported with all others and the index of its payload', () => {
    expect(
      problemsOf(() =>
        create('member', [{ name: 'a', age: 'x' }, { name: 'b' }, { name: 'abcdef', fee: 'y' }]),
      ),
    ).toEqual([
      expect.objectContaining({ field: 'age', index: 0 }),
      expect.objectContaining({ field: 'name', index: 2 }),
      expect.objectContaining({ field: 'fee', index: 2 }),
    ]);
  });

  it('is reported with the path of lists', () => {
    expect(
      problemsOf(() => create('team', [{ label: 'x', members: [{ name: 'abcdef', age: 'x' }] }])),
    ).toEqual([
      expect.objectContaining({ code: 'VALUE_TOO_LONG', field: 'name', path: ['members'] }),
      expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'age', path: ['members'] }),
    ]);
  });

  it.each([[[1]], ['x'], [null], [[{}]]])('cannot replace an item: %j', (payload) => {
    const want = [{ code: 'INVALID_PAYLOAD', reason: 'an item must be an object of field names and values' }];
    expect(problemsOf(() => create('member', [payload]))).toEqual(want);
    expect(problemsOf(() => update('member', payload))).toEqual(want);
  });
});

describe('a required field', () => {
  it('must be given on creation', () => {
    expect(problemsOf(() => created('member', {}))).toEqual([
      {
        code: 'FAILED_VALIDATION',
        collection: 'member',
        field: 'name',
        path: [],
        type: 'required',
        expected: 'a value; it is required',
      },
    ]);
    expect(problemsOf(() => updated('member', { age: 1 }))).toEqual([]);
  });

  it('is not reported to callers who cannot write it', () => {
    expect(problemsOf(() => created('member', { age: 1 }, [{ fields: ['age'] }]))).toEqual([
      { code: 'FORBIDDEN', reason: '"member" needs values that you may not write' },
    ]);
    expect(problemsOf(() => created('member', { name: 'a' }, [{ fields: ['name'] }]))).toEqual([]);
  });

  it('may come from a preset', () => {
    expect(created('member', { age: 1 }, [{ fields: ['age'], presets: { name: '$ME' } }])).toEqual({
      name: 'ann',
      age: 1,
    });
  });
});

const deletes = (action: string) =>
  planDelete(
    collectionOf('member'),
    writing(policiesOf('member', [{ action, permissions: { age: { _lt: 9 } } }])),
  );

describe('a permission', () => {
  it('limits the fields that can be written', () => {
    expect(problemsOf(() => created('member', { name: 'a', age: 1 }, [{ fields: ['name'] }]))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "age" does not exist or may not be used for create' },
    ]);
    expect(problemsOf(() => updated('member', { missing: 1 }, [{ fields: ['name'] }]))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "missing" does not exist or may not be used for update' },
    ]);
    expect(problemsOf(() => updated('member', { missing: 1 }, [{}]))).toEqual([
      { code: 'INVALID_PAYLOAD', reason: '"missing" is not a field of "member"' },
    ]);
  });

  it('does not include a read-only field, which only presets and administrators write', () => {
    expect(problemsOf(() => updated('member', { status: 'x' }, [{}]))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "status" is read-only' },
    ]);
    expect(updated('member', { age: 1 }, [{ presets: { status: 'x' } }])).toEqual({ status: 'x', age: 1 });
    expect(updated('member', { status: 'x' })).toEqual({ status: 'x' });
  });

  it('has presets for missing values', () => {
    const permissions = [{ presets: { age: 7, joined: '2024-01-02', gone: 1 } }];
    expect(created('member', { name: 'a', age: 5 }, permissions)).toEqual({
      name: 'a',
      age: 5,
      joined: '2024-01-02',
    });
    expect(problemsOf(() => created('member', named, [{ presets: { age: 'x' } }]))).toEqual([
      expect.objectContaining({ code: 'FAILED_VALIDATION', field: 'age' }),
    ]);
  });

  it('is required for a list', () => {
    expect(problemsOf(() => created('team', { members: [] }, [{ fields: ['label'] }]))).toEqual([
      { code: 'FORBIDDEN', reason: 'the field "members" does not exist or may not be used for create' },
    ]);
  });

  it('is required for the action', () => {
    const none = {
      code: 'FORBIDDEN',
      reason: 'the collection "member" does not exist or may not be used this way',
    };
    expect(problemsOf(() => created('member', named, [{ action: 'read' }]))).toEqual([none]);
    expect(problemsOf(() => updated('member', named, [{ action: 'read' }]))).toEqual([none]);
    expect(problemsOf(() => deletes('read'))).toEqual([none]);
    expect(deletes('delete').where).toMatchObject({ kind: 'compare', operator: 'lt' });
  });

  it('limits the rows that a change applies to, by its own rule and that of each field', () => {
    const where = (payload: Payload) =>
      JSON.stringify(
        update('member', payload, [
          { fields: ['age'], permissions: { name: { _eq: 'young' } } },
          { fields: ['fee'], permissions: { name: { _eq: 'rich' } } },
        ])?.where,
      );
    expect(where({ age: 1 }).match(/young|rich/g)).toEqual(['young', 'rich', 'young']);
    expect(where({ fee: 1 }).match(/young|rich/g)).toEqual(['young', 'rich', 'rich']);
    expect(update('member', named)?.where).toEqual(conditionTrue);
  });
});

describe('the validation of a field', () => {
  it('has the message of the field', () => {
    expect(problemsOf(() => updated('member', { level: 9 }))).toEqual([
      {
        code: 'FAILED_VALIDATION',
        collection: 'member',
        field: 'level',
        path: [],
        type: 'between',
        valid: [1, 5],
      },
    ]);
    expect(messageOf(() => updated('member', { level: 9 }))).toContain('levels go from 1 to 5.');
    expect(updated('member', { level: 5 })).toEqual({ level: 5 });
  });

  it('reports the value instead of a pattern, unless the field is concealed', () => {
    const where = { code: 'FAILED_VALIDATION', collection: 'member', path: [], type: 'regex' };
    expect(problemsOf(() => updated('member', { nick: 'A' }))).toEqual([
      { ...where, field: 'nick', invalid: 'A' },
    ]);
    expect(messageOf(() => updated('member', { nick: 'A' }))).toContain('"nick" does not pass "_regex".');
    expect(problemsOf(() => updated('member', { code: 'A' }))).toEqual([{ ...where, field: 'code' }]);
  });

  it('accepts null and missing fields', () => {
    expect(updated('member', { level: null, nick: null })).toEqual({ level: null, nick: null });
    expect(updated('member', { age: 1 })).toEqual({ age: 1 });
  });
});

describe('the validation of a permission', () => {
  const adult = { validation: { age: { _gte: 18 } } };

  it('is applied to the payload with presets', () => {
    expect(updated('member', { age: 18 }, [adult])).toEqual({ age: 18 });
    expect(problemsOf(() => updated('member', { age: 17 }, [adult]))).toEqual([
      { code: 'FAILED_VALIDATION', collection: 'member', field: 'age', path: [], type: 'gte', valid: 18 },
    ]);
    expect(problemsOf(() => updated('member', named, [{ ...adult, presets: { age: 17 } }]))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte' }),
    ]);
  });

  it('rejects null', () => {
    expect(problemsOf(() => updated('member', { age: null }, [adult]))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte', valid: 18 }),
    ]);
  });

  it('removes the fields and presets of only this permission', () => {
    const permissions = [
      { ...adult, fields: ['fee', 'age'], presets: { joined: '2024-01-02' } },
      { fields: ['name', 'age'] },
    ];
    expect(updated('member', { age: 18, fee: 1, name: 'a' }, permissions)).toEqual({
      joined: '2024-01-02',
      age: 18,
      fee: '1',
      name: 'a',
    });
    expect(updated('member', { age: 17, name: 'a' }, permissions)).toEqual({ age: 17, name: 'a' });
    expect(problemsOf(() => updated('member', { age: 17, fee: 1 }, permissions))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte' }),
    ]);
    expect(updated('member', { id: 1, age: 17 }, permissions)).toEqual({ age: 17 });
  });

  it('is reported once for each permission that fails', () => {
    const permissions = [
      { fields: ['age', 'fee'], validation: { age: { _gte: 18 } } },
      { fields: ['name'], validation: { age: { _gte: 21 } } },
    ];
    expect(problemsOf(() => updated('member', { age: 1, fee: 1, name: 'a' }, permissions))).toEqual([
      expect.objectContaining({ valid: 18 }),
      expect.objectContaining({ valid: 21 }),
    ]);
  });
});
