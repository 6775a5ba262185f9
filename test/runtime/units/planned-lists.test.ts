/** Lists in payloads as plans: what is created, changed and removed through the owner of the rows. */
import { describe, expect, it } from 'vitest';
import {
  createRegistry,
  defineCollection,
  oneToMany,
  type Collection,
} from '../../../contract/collection.js';
import { ApiError, ApiErrors } from '../../../contract/errors.js';
import { integer, string } from '../../../contract/fields.js';
import type { Permission } from '../../../runtime/access/grant.js';
import { createPolicyIndex, type PolicySet } from '../../../runtime/access/policies.js';
import { bindCreate, bindUpdate } from '../../../runtime/plan/owner-operands.js';
import { checkStored } from '../../../runtime/plan/row-validation.js';
import { planCreate, planUpdates } from '../../../runtime/plan/write.js';
import type { ListPlan, ListRow } from '../../../runtime/plan/write-plan.js';
import { createMatcher } from '../../../runtime/plan/matcher.js';

const { collections } = createRegistry([
  defineCollection({
    name: 'shelf',
    path: '/items/shelf',
    key: ['id'],
    fields: { id: integer({ auto: true }), label: string() },
    relations: {
      books: oneToMany('book', ['shelf'], ['id']),
      notes: oneToMany('note', ['shelf'], ['id']),
      slots: oneToMany('slot', ['shelf'], ['id']),
      drafts: oneToMany('note', ['shelf'], ['id'], { deselect: 'delete' }),
      labels: oneToMany('label', ['shelf'], ['label']),
      logs: oneToMany('log', ['shelf'], ['id']),
    },
  }),
  defineCollection({
    name: 'book',
    path: '/items/book',
    key: ['id'],
    fields: {
      id: integer({ auto: true }),
      title: string({ length: 9, required: true }),
      shelf: integer({ nullable: true }),
    },
    relations: { pages: oneToMany('page', ['book'], ['id']) },
  }),
  defineCollection({
    name: 'page',
    path: '/items/page',
    key: ['id'],
    fields: { id: integer({ auto: true }), book: integer({ nullable: true }), text: string() },
  }),
  defineCollection({
    name: 'note',
    path: '/items/note',
    key: ['id'],
    fields: { id: integer({ auto: true }), shelf: integer(), text: string() },
  }),
  defineCollection({
    name: 'slot',
    path: '/items/slot',
    key: ['shelf', 'place'],
    fields: { shelf: integer(), place: integer(), text: string({ nullable: true }) },
  }),
  defineCollection({
    name: 'label',
    path: '/items/label',
    key: ['id'],
    fields: { id: integer({ auto: true }), shelf: string({ nullable: true }) },
  }),
  defineCollection({ name: 'log', path: null, key: [], fields: { shelf: integer() } }),
]);

const shelf = collections.get('shelf') as Collection;

type Given = Partial<Permission>;

const base = { permissions: null, validation: null, presets: null, fields: ['*'] };
const user = { id: 'ann', role: null, status: 'active', columns: {} };
const everywhere = ['create', 'read', 'update', 'delete'].flatMap((action) =>
  ['shelf', 'page', 'note', 'slot', 'label'].map((collection) => ({ action, collection })),
);

/** Policies of an administrator, or of a user who may do anything but with books, and these things with books. */
const policiesOf = (books?: readonly Given[]): PolicySet =>
  createPolicyIndex({
    version: '1',
    roles: [],
    policies: [{ id: 'p', admin: books === undefined }],
    access: [{ policy: 'p', role: null, user: user.id }],
    permissions: [...everywhere, ...(books ?? [])].map((given) =>
      Object.assign({ policy: 'p', collection: 'book', action: 'create' }, base, given),
    ),
  }).policiesOf(user);

const writing = (books?: readonly Given[]) => ({
  policies: policiesOf(books),
  maxDepth: 10,
  resolve: (value: unknown) => value,
  matches: createMatcher(),
  fills: { user: 'ann', now: () => 'now', uuid: () => 'new' },
});

type Payload = Readonly<Record<string, unknown>>;

const listsOf = (payload: Payload, books?: readonly Given[]): readonly ListPlan[] =>
  planUpdates(shelf, [{ key: [1], payload }], writing(books))[0]?.lists ?? [];

const listOf = (payload: Payload, books?: readonly Given[]): ListPlan => {
  const [list] = listsOf(payload, books);
  if (list === undefined) throw new Error('there is no list');
  return list;
};

/** Every problem: its code and its reason or field. */
const problemsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
    return [];
  } catch (error) {
    const problems = error instanceof ApiErrors ? error.problems : [error];
    return problems.map((problem) => {
      if (!(problem instanceof ApiError)) throw problem;
      const { reason, path, field } = problem.details;
      return `${problem.code}: ${String(reason ?? [...(path as string[]), field].join('.'))}`;
    });
  }
};

const rowOf = (row: ListRow | undefined): unknown => Object.fromEntries(row ?? []);

const fromOwner = { from: 'owner', index: 0 };

describe('a complete list', () => {
  it('creates objects without a key, updates those with one, keeps listed keys and removes other rows', () => {
    const list = listOf({ books: [{ title: 'a' }, { id: 2, title: 'b' }, 3] });
    expect(list.creates?.rows.map(rowOf)).toEqual([{ title: 'a', shelf: fromOwner }]);
    expect(list.updates.map(({ key, update }) => [key, update === null ? null : rowOf(update.row)])).toEqual([
      [[2], { title: 'b' }],
      [[3], null],
    ]);
    expect(list.removes?.keys).toBe('others');
  });

  it.each([[[]], [null]])('can be empty: %j', (books) => {
    expect(listOf({ books })).toMatchObject({ creates: null, updates: [], removes: { keys: 'others' } });
  });

  it('creates an object whose key is null', () => {
    expect(listOf({ books: [{ id: null, title: 'a' }] }).creates?.rows).toHaveLength(1);
  });

  it('compares rows by every part of their key', () => {
    const list = listOf({ slots: [{ place: 1 }, { shelf: 1, place: 2, text: 'a' }, '1,3'] });
    expect(list.creates?.rows.map(rowOf)).toEqual([{ place: 1, shelf: fromOwner }]);
    expect(list.updates.map(({ key }) => key)).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });
});

describe('changes to a list', () => {
  it('create, update and delete', () => {
    const list = listOf({
      books: { create: [{ title: 'a' }], update: [{ id: 2, title: 'b' }], delete: [3, '4'] },
    });
    expect(list.creates?.rows).toHaveLength(1);
    expect(list.updates).toHaveLength(1);
    expect(list.removes?.keys).toEqual([[3], [4]]);
  });

  it('remove nothing without a key', () => {
    expect(listOf({ books: { delete: [] } })).toMatchObject({ creates: null, updates: [], removes: null });
    expect(listOf({ books: { create: [] } }).removes).toBeNull();
  });
});

const listRefusal = (name: string, detail: string): string => `INVALID_PAYLOAD: "${name}" ${detail}`;

describe('a list is rejected', () => {
  const parts = 'takes lists under "create", "update" and "delete"';

  it.each<[Payload, string]>([
    [{ books: 5 }, listRefusal('books', 'takes a list, or {"create": […], "update": […], "delete": […]}')],
    [{ books: {} }, listRefusal('books', parts)],
    [{ books: { create: [], remove: [] } }, listRefusal('books', `${parts}, not "remove" as it is`)],
    [{ books: { create: {} } }, listRefusal('books', `${parts}, not "create" as it is`)],
    [{ books: { create: [5] } }, 'INVALID_PAYLOAD: "create" and "update" of "books" hold objects'],
    [{ books: { update: [5] } }, 'INVALID_PAYLOAD: "create" and "update" of "books" hold objects'],
    [
      { books: { update: [{ title: 'a' }] } },
      'INVALID_PAYLOAD: every changed item of "books" needs its key "id"',
    ],
    [
      { books: { update: [{ id: null }] } },
      'INVALID_PAYLOAD: every changed item of "books" needs its key "id"',
    ],
    [
      { slots: { update: [{ shelf: 1 }] } },
      'INVALID_PAYLOAD: every changed item of "slots" needs its key "place"',
    ],
    [{ books: ['x'] }, 'FORBIDDEN: the item of "book" does not exist or may not be used this way'],
    [{ logs: [] }, listRefusal('logs', 'is not written through its owner; its items have no key')],
  ])('%j', (payload, want) => {
    expect(problemsOf(() => listsOf(payload))).toEqual([want]);
  });

  it('with every other problem of the payload', () => {
    expect(
      problemsOf(() =>
        listsOf({ label: 5, books: [{ title: 'too long for it' }, { id: 2, title: 5 }], notes: 5 }),
      ),
    ).toEqual([
      'FAILED_VALIDATION: label',
      'VALUE_TOO_LONG: books.title',
      'FAILED_VALIDATION: books.title',
      'INVALID_PAYLOAD: "notes" takes a list, or {"create": […], "update": […], "delete": […]}',
    ]);
    expect(problemsOf(() => listsOf({ books: [{ title: 'a', pages: [{ text: 5 }] }, {}] }))).toEqual([
      'FAILED_VALIDATION: books.pages.text',
      'FAILED_VALIDATION: books.title',
    ]);
  });
});

describe('a row that is created in a list', () => {
  it('gets the key of its owner regardless of its payload', () => {
    expect(listOf({ books: [{ title: 'a', shelf: 9 }] }).creates?.rows.map(rowOf)).toEqual([
      { title: 'a', shelf: fromOwner },
    ]);
  });

  it('is bound to the key of its owner after that is known', () => {
    const { creates } = listOf({ books: [{ title: 'a' }, { title: 'b' }] });
    const bound = creates === null ? null : bindCreate(creates, { references: [7], end: 0 });
    expect(bound?.rows.map(rowOf)).toEqual([
      { title: 'a', shelf: 7 },
      { title: 'b', shelf: 7 },
    ]);
    expect(creates?.rows.map((row) => row.get('shelf'))).toEqual([fromOwner, fromOwner]);
  });

  it('can have lists of its own', () => {
    const { creates } = listOf({ books: [{ title: 'a' }, { title: 'b', pages: [{ text: 'x' }] }] });
    expect(creates?.lists.map(({ relation, ownerIndex }) => [relation.name, ownerIndex])).toEqual([
      ['pages', 1],
    ]);
    expect(creates?.lists[0]?.creates?.rows.map(rowOf)).toEqual([{ text: 'x', book: fromOwner }]);
  });

  it('belongs to one of several owners that are created together', () => {
    const plan = planCreate(
      shelf,
      [{ label: 'x', books: [{ title: 'a' }] }, { label: 'y' }, { label: 'z', books: [{ title: 'b' }] }],
      writing(),
    );
    expect(plan.lists.map(({ ownerIndex }) => ownerIndex)).toEqual([0, 2]);
  });
});

const removalOf = (payload: Payload, books?: readonly Given[]) => {
  const removal = listOf(payload, books).removes?.removal;
  if (removal?.kind === 'release') return rowOf(removal.plan.row);
  if (removal?.kind === 'refused')
    return removal.problems.map(({ code, details }) => `${code}: ${String(details.reason ?? details.type)}`);
  return removal?.kind;
};

describe('rows that leave a list', () => {
  it.each<[string, string, unknown]>([
    ['are kept without an owner where that may be', 'books', { shelf: null }],
    ['are deleted where the relation says so', 'drafts', 'delete'],
    ['are deleted where their key has that of the owner', 'slots', 'delete'],
    ['stay where they need an owner', 'notes', ['FAILED_VALIDATION: nnull']],
  ])('%s', (_, name, want) => {
    expect(removalOf({ [name]: [] })).toEqual(want);
  });

  it('are deleted explicitly if they require an owner', () => {
    expect(removalOf({ notes: { delete: [1] } })).toBe('delete');
    expect(removalOf({ books: { delete: [1] } })).toEqual({ shelf: null });
  });

  it('are kept if the caller cannot change or delete them', () => {
    expect(removalOf({ books: [] }, [{ action: 'update', fields: ['title'] }])).toEqual([
      'FORBIDDEN: the field "shelf" does not exist or may not be used for update',
    ]);
    expect(removalOf({ books: [] }, [{ action: 'update', fields: ['shelf'] }])).toEqual({ shelf: null });
  });

  it('that are named are rejected immediately', () => {
    expect(problemsOf(() => listOf({ books: { delete: [1] } }, [{ action: 'read' }]))).toEqual([
      'FORBIDDEN: the collection "book" does not exist or may not be used this way',
    ]);
  });
});

describe('the visible part of a list', () => {
  it('contains the readable rows', () => {
    expect(listOf({ books: [] }, [{ action: 'update' }]).visible).toBeNull();
    expect(listOf({ books: [] }, [{ action: 'update' }, { action: 'read' }]).visible).toEqual({
      kind: 'true',
    });
    const some = [{ action: 'update' }, { action: 'read', permissions: { title: { _eq: 'a' } } }];
    expect(listOf({ books: [] }, some).visible).toMatchObject({ kind: 'compare', operator: 'eq' });
  });

  it('contains the readable or updatable columns of the owner', () => {
    expect([...listOf({ books: [] }).nameableReferences]).toEqual(['id']);
    expect([...listOf({ labels: [] }).nameableReferences]).toEqual(['label']);
  });
});

/** Validation that only the owner of a row decides. */
const onShelf = (number: number) => ({ validation: { shelf: { _eq: number } } });

const bindFirst = (payload: Payload, owner: number, books: readonly Given[]): unknown => {
  const { creates } = listOf(payload, books);
  return creates === null ? null : bindCreate(creates, { references: [owner], end: 0 }).rows.map(rowOf);
};

const createOnShelf = (books: readonly Given[], owner: number): unknown => {
  const [list] = planCreate(shelf, [{ label: 'x', books: [{ title: 'a' }] }], writing(books)).lists;
  return list?.creates ? bindCreate(list.creates, { references: [owner], end: 0 }).rows.map(rowOf) : null;
};

const createWithPresets = (presets: Payload | null, owner: number): unknown => {
  const books = [{ ...onShelf(5), presets, fields: ['title', 'shelf'] }, { fields: ['title', 'shelf'] }];
  const [list] = planCreate(shelf, [{ label: 'x', books: [{ title: 'a' }] }], writing(books)).lists;
  return list?.creates ? bindCreate(list.creates, { references: [owner], end: 0 }).rows.map(rowOf) : null;
};

describe('a permission that depends on the owner', () => {
  it('is decided immediately if the owner is known', () => {
    expect(bindFirst({ books: [{ title: 'a' }] }, 1, [onShelf(1)])).toEqual([{ title: 'a', shelf: 1 }]);
    expect(problemsOf(() => listOf({ books: [{ title: 'a' }] }, [onShelf(2)]))).toEqual([
      'FAILED_VALIDATION: books.shelf',
    ]);
  });

  it('is decided when the owner is written if its key is generated', () => {
    expect(createOnShelf([onShelf(5)], 5)).toEqual([{ title: 'a', shelf: 5 }]);
    expect(problemsOf(() => createOnShelf([onShelf(5)], 6))).toEqual(['FAILED_VALIDATION: books.shelf']);
    const nested = [{ validation: { _and: [{ title: { _eq: 'a' } }, { _or: [{ shelf: { _eq: 5 } }] }] } }];
    expect(createOnShelf(nested, 5)).toEqual([{ title: 'a', shelf: 5 }]);
    expect(problemsOf(() => createOnShelf(nested, 6))).toEqual(['FAILED_VALIDATION: books.shelf']);
  });

  it('whose presets the row already has cannot fail afterwards', () => {
    expect(createWithPresets({ id: 3 }, 5)).toEqual([{ id: 3, title: 'a', shelf: 5 }]);
    expect(problemsOf(() => createWithPresets({ id: 3 }, 6))).toEqual([
      'FORBIDDEN: "book" takes values that you may not write',
    ]);
    expect(createWithPresets({}, 6)).toEqual([{ title: 'a', shelf: 6 }]);
    expect(createWithPresets(null, 6)).toEqual([{ title: 'a', shelf: 6 }]);
  });

  it('limits the rows that can be moved', () => {
    const books = [
      { action: 'update', ...onShelf(5), permissions: { title: { _eq: 'mine' } } },
      { action: 'update', permissions: { title: { _eq: 'any' } } },
    ];
    const moved = (owner: number): unknown => {
      const [list] = planCreate(
        shelf,
        [{ label: 'x', books: [{ id: 2, title: 'b' }] }],
        writing(books),
      ).lists;
      const move = list?.updates[0]?.move;
      if (move === undefined || 'problems' in move) return move;
      const plan = bindUpdate(move, { references: [owner], end: 0 });
      return [rowOf(plan.row), JSON.stringify(plan.where).match(/mine|any/g)];
    };
    expect(moved(5)).toEqual([{ title: 'b', shelf: 5 }, ['mine', 'any']]);
    expect(moved(6)).toEqual([{ title: 'b', shelf: 6 }, ['any']]);
  });
});

it('a validation of an owner and of stored values is decided by both', () => {
  const validation = { shelf: { _eq: 7 }, id: { _gt: 0 } };
  const [list] = planCreate(
    shelf,
    [{ label: 'x', books: [{ title: 'a' }] }],
    writing([{ validation }]),
  ).lists;
  const [stored] = list?.creates?.stored ?? [];
  const check = (owner: number, id: number) => () =>
    stored &&
    checkStored(
      stored.check,
      new Map([['id', id]]),
      new Map<string, string | number>([
        ['title', 'a'],
        ['shelf', owner],
      ]),
    );
  expect(stored?.check.columns.map(({ name }) => name)).toEqual(['id']);
  expect(problemsOf(check(7, 1))).toEqual([]);
  expect(problemsOf(check(8, 1))).toEqual(['FAILED_VALIDATION: books.shelf']);
  expect(problemsOf(check(7, 0))).toEqual(['FAILED_VALIDATION: books.id']);
});
