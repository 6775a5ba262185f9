/** Payloads as rows to write, and everything that can be wrong with them. */
import { describe, expect, it } from 'vitest';
import {
  create,
  created,
  messageOf,
  named,
  problemsOf,
  update,
  updated,
  type Payload,
} from './member-plans.js';

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

  it('of a list takes the key of its owner, whatever the payload says', () => {
    const plan = create('team', [{ label: 'x', members: [{ name: 'a', team: 'other' }] }]);
    expect(plan.lists[0]?.creates?.rows[0]?.get('team')).toEqual({ from: 'owner', index: 0 });
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
        pointer: '/age',
      },
    ],
    [
      'may be out of range',
      { age: 500 },
      { code: 'VALUE_OUT_OF_RANGE', ...where, value: 500, pointer: '/age' },
    ],
    [
      'may be too long',
      { name: 'abcdef' },
      { code: 'VALUE_TOO_LONG', collection: 'member', field: 'name', value: 'abcdef', pointer: '/name' },
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
        pointer: '/name',
      },
    ],
    ['may be missing', { name: undefined, age: 5 }, {}],
    [
      'is not shown where its field is concealed',
      { secret: 'abcd' },
      { code: 'VALUE_TOO_LONG', collection: 'member', field: 'secret', pointer: '/secret' },
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
        pointer: '/pin',
      },
    ],
    [
      'may be a list in place of a key',
      { team: [1] },
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
        pointer: '/name',
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
