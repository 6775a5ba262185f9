/** Creates whose rows may be stored already, as plans: which row is meant, and what each of the two cases does. */
import { describe, expect, it } from 'vitest';
import { createRegistry, defineCollection, type Collection } from '../../../contract/collection.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { integer, string, uuid } from '../../../contract/fields.js';
import type { Permission } from '../../../runtime/access/grant.js';
import { createPolicyIndex, type PolicySet } from '../../../runtime/access/policies.js';
import { isRefusal } from '../../../runtime/plan/problem-collection.js';
import { planUpsert } from '../../../runtime/plan/write.js';
import type { Refusal, UpsertRow } from '../../../runtime/plan/write-plan.js';
import type { OnConflict } from '../../../runtime/request/on-conflict.js';
import { printCondition } from './printed-conditions.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['id'],
    uniques: { book_isbn: ['isbn'], book_place: ['shelf', 'slot'], shelf: ['note'] },
    fields: {
      id: integer(),
      isbn: string({ nullable: true }),
      shelf: integer({ nullable: true }),
      slot: integer({ nullable: true }),
      title: string({ length: 5, required: true }),
      note: string({ nullable: true }),
    },
  }),
  defineCollection({
    name: 'pair',
    path: '/items/pair',
    key: ['left', 'right'],
    fields: { left: integer(), right: integer(), weight: integer({ nullable: true }) },
  }),
  defineCollection({
    name: 'card',
    path: '/items/card',
    key: ['id'],
    uniques: { card_pin: ['box', 'pin'], card_box: ['id', 'box'] },
    fields: { id: uuid({ fill: 'uuid' }), box: integer(), pin: string({ conceal: true, nullable: true }) },
  }),
  defineCollection({
    name: 'seal',
    path: '/items/seal',
    key: ['id'],
    fields: { id: integer({ generated: true }), label: string({ nullable: true }) },
  }),
  defineCollection({ name: 'log', path: '/items/log', key: [], fields: { line: string() } }),
]);

const user = { id: 'ann', role: null, status: 'active', columns: {} };
type Given = Partial<Permission> & Pick<Permission, 'action'>;

const policiesOf = (collection: string, permissions?: readonly Given[]): PolicySet =>
  createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: permissions === undefined }],
    access: [{ policy: 'p', role: null, user: user.id }],
    permissions: (permissions ?? []).map((given) =>
      Object.assign(
        { policy: 'p', collection, permissions: null, validation: null, presets: null, fields: ['*'] },
        given,
      ),
    ),
  }).policiesOf(user);

interface Options {
  readonly collection?: string;
  readonly action?: OnConflict['action'];
  readonly conflict?: readonly string[];
  readonly permissions?: readonly Given[];
}

const upsert = (
  payloads: readonly unknown[],
  { collection = 'book', action = 'update', conflict, permissions }: Options = {},
) =>
  planUpsert(
    collections.get(collection) as Collection,
    { payloads, onConflict: { action, conflict: conflict ?? null } },
    {
      policies: policiesOf(collection, permissions),
      maxDepth: 10,
      resolve: (value) => value,
      matches: createMatcher(),
      fills: { user: 'ann', now: () => 'now', uuid: () => 'new' },
    },
  );

/** Problems as code, field or reason, and row of several. */
const problemsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : [error];
    return problems.map((problem) => {
      if (!(problem instanceof ApiError)) throw problem;
      const { field, reason, index } = problem.details;
      return `${problem.code} ${String(field ?? reason)}${index === undefined ? '' : ` of row ${String(index)}`}`;
    });
  }
  return [];
};

const identityOf = ({ tuple, key }: UpsertRow) => ({ tuple, key: Object.fromEntries(key) });

const codesOf = (plan: object | Refusal | null | undefined): readonly string[] | null =>
  plan !== null && plan !== undefined && isRefusal(plan as Refusal)
    ? (plan as Refusal).problems.map(({ code }) => code)
    : null;

describe('the stored row is found', () => {
  it('by the key, without "conflict"', () => {
    const { fields, rows } = upsert([{ id: 1, title: 'a' }, { title: 'b' }]);
    expect(fields.map(({ name }) => name)).toEqual(['id']);
    expect(rows.map(identityOf)).toEqual([
      { tuple: [1], key: { id: 1 } },
      { tuple: null, key: {} },
    ]);
  });

  it('by both parts of a key, and never by one', () => {
    const { rows } = upsert([{ left: 1, right: 2 }], { collection: 'pair' });
    expect(rows.map(identityOf)).toEqual([{ tuple: [1, 2], key: { left: 1, right: 2 } }]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['the name of a constraint', ['book_place'], ['shelf', 'slot']],
    ['its fields, in any order', ['slot', 'shelf'], ['shelf', 'slot']],
    ['one field', ['isbn'], ['isbn']],
    ['a name that is also that of a field', ['shelf'], ['note']],
    ['the fields of the key', ['id'], ['id']],
  ])('by %s', (_, conflict, want) => {
    const payload = { id: 1, isbn: 'x', shelf: 1, slot: 2, note: 'n', title: 'a' };
    expect(upsert([payload], { conflict }).fields.map(({ name }) => name)).toEqual(want);
  });

  it('by values of a constraint, null in none', () => {
    const { rows } = upsert(
      [
        { id: 1, shelf: 3, slot: 4, title: 'a' },
        { id: 2, shelf: 3, slot: null, title: 'b' },
      ],
      { conflict: ['shelf', 'slot'] },
    );
    expect(rows.map(identityOf)).toEqual([
      { tuple: [3, 4], key: { id: 1 } },
      { tuple: null, key: { id: 2 } },
    ]);
  });

  it('by a preset', () => {
    const permissions: Given[] = [
      { action: 'create', fields: ['id', 'title'], presets: { isbn: 'mine' } },
      { action: 'update', fields: ['title'] },
    ];
    const { rows } = upsert([{ id: 1, title: 'a' }], { conflict: ['isbn'], permissions });
    expect(rows.map(identityOf)).toEqual([{ tuple: ['mine'], key: { id: 1 } }]);
  });

  it('by a key that the database computes', () => {
    const [row] = upsert([{ id: 1, label: 'a' }], { collection: 'seal' }).rows;
    expect(row?.tuple).toEqual([1]);
    expect(codesOf(row?.create)).toEqual(['INVALID_PAYLOAD']);
    expect(codesOf(row?.update)).toBeNull();
  });

  it('by a constraint, without a key that is made for a new row', () => {
    const [row] = upsert([{ box: 1, pin: 'x' }], { collection: 'card', conflict: ['card_pin'] }).rows;
    expect(row && identityOf(row)).toEqual({ tuple: [1, 'x'], key: {} });
  });
});

/** The stored rows that a caller who may read these sees when they conflict with a new row. */
const shownBy = (
  conflict: readonly string[],
  reads: readonly Omit<Given, 'action'>[],
  collection = 'book',
) => {
  const payload = { id: 1, isbn: 'x', shelf: 1, slot: 2, title: 'a' };
  const card = { id: '0195f1c2-0000-7000-8000-00000000000a', box: 1, pin: 'x' };
  const permissions: Given[] = [
    { action: 'create' },
    { action: 'update' },
    ...reads.map((each): Given => ({ ...each, action: 'read' })),
  ];
  const options = { collection, conflict, permissions };
  return printCondition(upsert([collection === 'card' ? card : payload], options).shown);
};

describe('a stored row', () => {
  const open = { note: { _eq: 'open' } };

  it('is shown by its key, which is no secret', () => {
    expect(shownBy(['id'], [])).toBe('true');
  });

  it('is shown by other fields where the caller may read them', () => {
    expect(shownBy(['isbn'], [])).toBe('false');
    expect(shownBy(['isbn'], [{ fields: ['id'] }])).toBe('false');
    expect(shownBy(['book_place'], [{ fields: ['shelf'] }])).toBe('false');
    expect(shownBy(['isbn'], [{ permissions: open }])).toBe('note eq "open"');
    expect(printCondition(upsert([{ id: 1, isbn: 'x', title: 'a' }], { conflict: ['isbn'] }).shown)).toBe(
      'true',
    );
  });

  it('is shown neither by a concealed field nor by the key with another field', () => {
    expect(shownBy(['card_pin'], [{}], 'card')).toBe('false');
    expect(shownBy(['card_box'], [], 'card')).toBe('false');
  });
});

describe('a change', () => {
  it('leaves the key and the fields of the constraint as they are', () => {
    const [row] = upsert([{ id: 1, isbn: 'x', title: 'a', note: 'n' }], { conflict: ['isbn'] }).rows;
    expect(row?.update).toMatchObject({
      row: new Map([
        ['title', 'a'],
        ['note', 'n'],
      ]),
    });
    expect(row?.create).toMatchObject({
      rows: [
        new Map<string, unknown>([
          ['id', 1],
          ['isbn', 'x'],
          ['title', 'a'],
          ['note', 'n'],
        ]),
      ],
    });
  });

  it('is not planned with "ignore"', () => {
    expect(upsert([{ id: 1, title: 'a' }], { action: 'ignore' }).rows[0]?.update).toBeNull();
  });
});

describe('a problem', () => {
  it('of a new row only is kept for when the row turns out to be new', () => {
    const [row] = upsert([{ id: 1, note: 'n' }]).rows;
    expect(codesOf(row?.create)).toEqual(['FAILED_VALIDATION']);
    expect(codesOf(row?.update)).toBeNull();
  });

  it('of both cases is reported at once, with the row of several', () => {
    const bad = { id: 1, title: 'too long' };
    expect(problemsOf(() => upsert([bad]))).toEqual(['VALUE_TOO_LONG title']);
    expect(problemsOf(() => upsert([{ id: 1, title: 'a' }, bad, { ...bad, id: 2 }]))).toEqual([
      'VALUE_TOO_LONG title of row 1',
      'VALUE_TOO_LONG title of row 2',
    ]);
  });

  it('of a new row is reported at once with "ignore"', () => {
    expect(problemsOf(() => upsert([{ id: 1 }], { action: 'ignore' }))).toEqual(['FAILED_VALIDATION title']);
  });

  it('of a row without a key is reported at once, as the row can only be new', () => {
    expect(problemsOf(() => upsert([{ note: 'n' }]))).toEqual(['FAILED_VALIDATION title']);
    const conflict = ['isbn'];
    expect(problemsOf(() => upsert([{ id: 1, isbn: null, note: 'n' }], { conflict }))).toEqual([
      'FAILED_VALIDATION title',
    ]);
  });

  it('is a constraint that the payload leaves open', () => {
    const want = ['INVALID_PAYLOAD "isbn" needs a value, because "conflict" compares it'];
    expect(problemsOf(() => upsert([{ id: 1, title: 'a' }], { conflict: ['isbn'] }))).toEqual(want);
  });

  it('is null in a key', () => {
    expect(problemsOf(() => upsert([{ id: null, title: 'a' }], { conflict: ['id'] }))).toHaveLength(1);
  });

  it('is a payload that is no object', () => {
    expect(problemsOf(() => upsert([5]))).toHaveLength(1);
  });
});

const choices = (names: string, collection = 'book'): string[] => [
  `INVALID_QUERY "conflict" takes the fields of a unique constraint of "${collection}", or its name: ${names}`,
];

describe('"conflict" is refused', () => {
  it('for anything but a constraint, which the error names', () => {
    const all = '"id", "isbn", "shelf,slot", "note"';
    for (const conflict of [['title'], ['shelf', 'isbn'], ['shelf', 'slot', 'isbn'], ['book_isbn', 'id']])
      expect(problemsOf(() => upsert([{ id: 1, title: 'a' }], { conflict }))).toEqual(choices(all));
  });

  it('for a constraint of fields that the caller may not set', () => {
    const permissions: Given[] = [
      { action: 'create', fields: ['id', 'title', 'shelf'] },
      { action: 'update' },
    ];
    for (const conflict of [['isbn'], ['book_place']])
      expect(problemsOf(() => upsert([{ id: 1, title: 'a' }], { conflict, permissions }))).toEqual(
        choices('"id"'),
      );
  });

  it('where there is no constraint', () => {
    expect(problemsOf(() => upsert([{ line: 'a' }], { collection: 'log', conflict: ['line'] }))).toEqual(
      choices('there is none', 'log'),
    );
    expect(problemsOf(() => upsert([{ line: 'a' }], { collection: 'log' }))).toHaveLength(1);
  });
});

describe('the caller', () => {
  const payload = [{ id: 1, title: 'a' }];
  const forbidden = (options: Options): boolean =>
    problemsOf(() => upsert(payload, options)).every((problem) => problem.startsWith('FORBIDDEN')) &&
    problemsOf(() => upsert(payload, options)).length > 0;

  it('needs the right to create, and to update where stored rows are changed', () => {
    expect(forbidden({ permissions: [{ action: 'update' }] })).toBe(true);
    expect(forbidden({ permissions: [{ action: 'create' }] })).toBe(true);
    expect(forbidden({ permissions: [{ action: 'create' }], action: 'ignore' })).toBe(false);
    expect(forbidden({ permissions: [{ action: 'create' }, { action: 'update' }] })).toBe(false);
  });
});
