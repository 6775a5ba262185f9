/** Writes within permissions: fields, presets, rows, and the validations of fields and permissions. */
import { describe, expect, it } from 'vitest';
import { planDelete } from '../../../runtime/plan/delete.js';
import { conditionTrue } from '../../../runtime/plan/types.js';
import { checkStored } from '../../../runtime/plan/row-validation.js';
import {
  collectionOf,
  create,
  created,
  messageOf,
  named,
  policiesOf,
  problemsOf,
  update,
  updated,
  writing,
  type Payload,
  type Given,
} from './member-plans.js';

const deletes = (action: string) =>
  planDelete(
    collectionOf('member'),
    writing(policiesOf('member', [{ action, permissions: { age: { _lt: 9 } } }])),
  );

/** Names that the condition of an update compares. */
const namesIn = (payload: Payload) =>
  JSON.stringify(
    update('member', payload, [
      { fields: ['age'], permissions: { name: { _eq: 'young' } } },
      { fields: ['fee'], permissions: { name: { _eq: 'rich' } } },
    ])?.where,
  ).match(/young|rich/g);

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
    expect(namesIn({ age: 1 })).toEqual(['young', 'rich', 'young']);
    expect(namesIn({ fee: 1 })).toEqual(['young', 'rich', 'rich']);
    expect(update('member', named)?.where).toEqual(conditionTrue);
  });

  it('limits the rows whose lists are changed', () => {
    const plan = update('team', { members: { create: [] } }, [
      { fields: ['label'], permissions: { label: { _eq: 'young' } } },
      { fields: ['members'], permissions: { label: { _eq: 'rich' } } },
    ]);
    expect(JSON.stringify(plan?.where).match(/young|rich/g)).toEqual(['young', 'rich', 'rich']);
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
        pointer: '/level',
      },
    ]);
    expect(messageOf(() => updated('member', { level: 9 }))).toContain('levels go from 1 to 5.');
    expect(updated('member', { level: 5 })).toEqual({ level: 5 });
  });

  it('reports the value instead of a pattern, unless the field is concealed', () => {
    const where = { code: 'FAILED_VALIDATION', collection: 'member', path: [], type: 'regex' };
    expect(problemsOf(() => updated('member', { nick: 'A' }))).toEqual([
      { ...where, field: 'nick', invalid: 'A', pointer: '/nick' },
    ]);
    expect(messageOf(() => updated('member', { nick: 'A' }))).toContain('"nick" does not pass "_regex".');
    expect(problemsOf(() => updated('member', { code: 'A' }))).toEqual([
      { ...where, field: 'code', pointer: '/code' },
    ]);
  });

  it('is held against presets', () => {
    expect(updated('member', named, [{ presets: { level: 5 } }])).toEqual({ ...named, level: 5 });
    expect(problemsOf(() => updated('member', named, [{ presets: { level: 9 } }]))).toEqual([
      expect.objectContaining({ field: 'level', type: 'between' }),
    ]);
  });

  it('accepts null and missing fields', () => {
    expect(updated('member', { level: null, nick: null })).toEqual({ level: null, nick: null });
    expect(updated('member', { age: 1 })).toEqual({ age: 1 });
  });
});

const tooYoung = {
  code: 'FAILED_VALIDATION',
  collection: 'member',
  field: 'age',
  path: [],
  type: 'gte',
  valid: 18,
  pointer: '/age',
};

describe('the validation of a permission', () => {
  const adult = { validation: { age: { _gte: 18 } } };

  it('is applied to the payload with presets', () => {
    expect(updated('member', { age: 18 }, [adult])).toEqual({ age: 18 });
    expect(problemsOf(() => updated('member', { age: 17 }, [adult]))).toEqual([tooYoung]);
    expect(problemsOf(() => updated('member', named, [{ ...adult, presets: { age: 17 } }]))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte' }),
    ]);
  });

  it('is applied to a payload without fields', () => {
    expect(problemsOf(() => updated('member', {}, [{ ...adult, presets: { age: 17 } }]))).toEqual([tooYoung]);
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

const storedOf = (payload: Payload, permissions: readonly Given[]) =>
  update('member', payload, permissions)?.stored ?? null;
const columnsOf = (payload: Payload, validation: Payload): readonly string[] | null =>
  storedOf(payload, [{ validation }])?.columns.map(({ name }) => name) ?? null;

/** Fields that the permissions grant after the check of a stored row. */
const check = (permissions: readonly Given[], stored: Payload, payload: Payload = named) => {
  const plan = update('member', payload, permissions);
  if (plan === undefined || plan.stored === null) throw new Error('nothing is checked');
  const grant = checkStored(plan.stored, new Map(Object.entries(stored)), plan.row);
  return [...grant.fields.keys()];
};

describe('a validation of stored values', () => {
  const adult = { validation: { age: { _gte: 18 } } };

  it.each<[Payload, Payload, readonly string[] | null]>([
    [named, { age: { _gte: 18 } }, ['age']],
    [named, { _and: [{ nick: { _null: true } }, { _or: [{ fee: { _gt: 1 } }] }] }, ['fee', 'nick']],
    [named, { age: { _or: [{ _gte: 18 }, { _null: true }] } }, ['age']],
    [{ age: 18 }, { age: { _gte: 18 } }, null],
    [{ age: 18 }, { age: { _gte: 18 }, fee: { _gt: 1 } }, ['fee']],
    [named, {}, null],
    // a hash says nothing of what it was made from
    [named, { pin: { _nnull: true } }, null],
  ])('of %j by %j reads %j', (payload, validation, columns) => {
    expect(columnsOf(payload, validation)).toEqual(columns);
  });

  it('reads a hashed field of a new row, which has its default', () => {
    const { stored } = create('member', [named], [{ validation: { pin: { _nnull: true } } }]);
    expect(
      stored.map(({ rowIndex, check: { columns } }) => [rowIndex, columns.map(({ name }) => name)]),
    ).toEqual([[0, ['pin']]]);
  });

  it('reads what a trigger may have changed, and takes values with a hash as they are sent', () => {
    const validation = { age: { _gte: 18 }, pin: { _nnull: true }, token: { _nnull: true } };
    const { stored } = create('visitor', [{ age: 18, pin: 'p', token: 't' }], [{ validation }]);
    expect(stored.map(({ check: { columns } }) => columns.map(({ name }) => name))).toEqual([['age']]);
  });

  it('names the fields of stored values only to callers who may read or write them', () => {
    const validation = { age: { _gte: 18 }, nick: { _nnull: true } };
    const find = (fields: readonly string[]) =>
      problemsOf(() =>
        check(
          [
            { fields: ['fee'], validation },
            { action: 'read', fields },
          ],
          { age: 17, nick: null },
          { fee: 1 },
        ),
      );
    const hidden = expect.objectContaining({ type: 'rule' }) as object;
    expect(find(['name'])).toEqual([hidden]);
    expect(find(['age'])).toEqual([tooYoung, hidden]);
    expect(find(['age', 'nick'])).toMatchObject([{ field: 'age' }, { field: 'nick', type: 'nnull' }]);
  });

  it('passes or fails by the stored row', () => {
    expect(check([adult], { age: 18 })).toContain('name');
    expect(problemsOf(() => check([adult], { age: 17 }))).toEqual([tooYoung]);
  });

  it('prefers stored values to written ones', () => {
    const both = [{ validation: { age: { _gte: 18 }, fee: { _gt: 1 } } }];
    expect(check(both, { age: 18, fee: 2 }, { age: 18 })).toContain('age');
    expect(problemsOf(() => check(both, { age: 17, fee: 2 }, { age: 18 }))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte' }),
    ]);
  });

  it('removes fields of only the failed permission', () => {
    const permissions = [{ ...adult, fields: ['fee'] }, { fields: ['name'] }];
    expect(check(permissions, { age: 17 })).toEqual(['name']);
    expect(problemsOf(() => check(permissions, { age: 17 }, { fee: 1 }))).toEqual([
      expect.objectContaining({ type: 'rule' }),
    ]);
  });

  it('is required by a permission whose presets the row already has', () => {
    const permissions = [{ ...adult, presets: { joined: '2024-01-02' } }, { fields: ['name'] }];
    expect(check(permissions, { age: 18 })).toContain('fee');
    expect(problemsOf(() => check(permissions, { age: 17 }))).toEqual([
      expect.objectContaining({ field: 'age', type: 'gte' }),
    ]);
    const withoutPresets = [{ ...adult, presets: {} }, { fields: ['name'] }];
    expect(check(withoutPresets, { age: 17 })).toEqual(['name']);
  });

  it('is reported once, even by a permission with presets that also lists the fields', () => {
    const permissions = [{ ...adult, presets: { joined: '2024-01-02' } }];
    expect(problemsOf(() => check(permissions, { age: 17 }))).toHaveLength(1);
  });
});
