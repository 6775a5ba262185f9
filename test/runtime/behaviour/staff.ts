/** Users with policies of many kinds, on the library. */
import { useServer } from '../harness/use-server.js';
import type { Answer, TestAccess, TestServer, TestServerOptions } from '../server-harness.js';
import { libraryMeta, librarySql } from './library.js';

export const staffAccess: TestAccess = {
  policies: {
    /** Bruno's books, some fields. */
    Few: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'author', 'shelves'],
        permissions: { author: { _eq: 2 } },
      },
      {
        collection: 'author',
        action: 'read',
        fields: ['id', 'name', 'books'],
        permissions: { id: { _in: [2, 3] } },
      },
      { collection: 'book_shelf', action: 'read', fields: ['book', 'shelf', 'position'], permissions: {} },
    ],
    /** Books after 1990, with their year. */
    Recent: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'year', 'note', 'author'],
        permissions: { year: { _gt: 1990 } },
      },
    ],
    Everything: [
      { collection: 'book', action: 'read', fields: ['*'] },
      { collection: 'author', action: 'read', fields: ['*'] },
    ],
    /** Titles and places of all, keys of some. */
    Titles: [
      { collection: 'author', action: 'read', fields: ['id', 'name', 'books'] },
      { collection: 'book', action: 'read', fields: ['id', 'title'], permissions: { id: { _eq: 201 } } },
      { collection: 'book', action: 'read', fields: ['title'] },
      { collection: 'shelf', action: 'read', fields: ['id', 'books'] },
      {
        collection: 'book_shelf',
        action: 'read',
        fields: ['book', 'shelf'],
        permissions: { book: { _eq: 202 } },
      },
      { collection: 'book_shelf', action: 'read', fields: ['shelf', 'position'] },
    ],
    /** Approves valid rows, regardless of other permissions of the writer. */
    Approving: (['create', 'update'] as const).map((action) => ({
      collection: 'book',
      action,
      fields: ['*'],
      validation: { title: { _eq: 'ok' } },
      presets: { note: 'approved', stock: 9, lent: true },
    })),
    Drafting: [
      { collection: 'book', action: 'create', fields: ['title', 'year'], presets: { stock: 4 } },
      { collection: 'book', action: 'update', fields: ['title', 'year'], presets: { stock: 5 } },
      { collection: 'book', action: 'read', fields: ['*'] },
    ],
    Clerk: [
      {
        collection: 'book',
        action: 'read',
        fields: ['id', 'title', 'stock', 'lent', 'note'],
        permissions: { note: { _neq: 'hidden' } },
      },
      {
        collection: 'book',
        action: 'create',
        fields: ['title', 'stock', 'note', 'year'],
        validation: { _and: [{ stock: { _lte: 10 } }, { note: { _in: ['a', 'b', 'hidden'] } }] },
        presets: { stock: 2, note: 'a', lent: true },
      },
      {
        collection: 'book',
        action: 'update',
        fields: ['title', 'stock'],
        permissions: { lent: { _eq: false } },
        validation: { stock: { _lt: 1000 } },
        presets: { note: 'touched' },
      },
      { collection: 'book', action: 'update', fields: ['lent'], permissions: {} },
      { collection: 'book', action: 'delete', permissions: { author: { country: { code: { _eq: 'pl' } } } } },
      { collection: 'review', action: 'create', fields: ['*'] },
      { collection: 'review', action: 'update', fields: ['*'], permissions: {} },
    ],
    /** Reaches rows through relations, in every direction. */
    Related: [
      {
        collection: 'author',
        action: 'read',
        fields: ['*'],
        permissions: { books: { _some: { title: { _contains: 'Words' } } } },
      },
      {
        collection: 'book',
        action: 'read',
        fields: ['*'],
        permissions: { author: { country: { name: { _eq: 'Poland' } } } },
      },
      {
        collection: 'book',
        action: 'update',
        fields: ['*'],
        permissions: { shelves: { shelf: { room: { _eq: 'south' } } } },
      },
      { collection: 'book', action: 'delete', permissions: { review: { _none: { stars: { _gt: 0 } } } } },
      { collection: 'country', action: 'read', fields: ['*'] },
    ],
    Self: [
      {
        collection: 'svc_users',
        action: 'read',
        fields: ['id', 'email'],
        permissions: { id: { _eq: '$CURRENT_USER' } },
      },
      {
        collection: 'svc_roles',
        action: 'read',
        fields: ['name'],
        permissions: { id: { _in: '$CURRENT_ROLES' } },
      },
      {
        collection: 'svc_policies',
        action: 'read',
        fields: ['name'],
        permissions: { id: { _in: '$CURRENT_POLICIES' } },
      },
      {
        collection: 'author',
        action: 'read',
        fields: ['name'],
        permissions: { born: { _lt: '$NOW(-60 years)' } },
      },
    ],
    Strangers: [
      { collection: 'country', action: 'read', fields: ['code'], permissions: { code: { _neq: 'xx' } } },
    ],
    Wordy: [{ collection: 'review', action: 'create', fields: ['words', 'stars'] }],
    Broken: [
      { collection: 'book', action: 'read', fields: ['*'], permissions: { year: { _neq: '$CURRENT_USER' } } },
    ],
  },
  roles: {
    Staff: { policies: ['Self'] },
    Desk: { parent: 'Staff', policies: ['Clerk'] },
  },
  users: {
    few: { policies: ['Few'] },
    both: { policies: ['Few', 'Recent'] },
    all: { policies: ['Everything'] },
    titles: { policies: ['Titles'] },
    drafter: { policies: ['Drafting', 'Approving'] },
    clerk: { role: 'Desk' },
    related: { policies: ['Related'] },
    broken: { policies: ['Broken'] },
    wordy: { policies: ['Wordy'] },
    nobody: {},
  },
  public: ['Strangers'],
};

export interface Staff {
  server(): TestServer;
  /** `as: null`: nobody. */
  send(as: string | null, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Returns the data, or the codes of the errors. */
  get(as: string | null, path: string): Promise<unknown>;
  /** Keys of a list. */
  ids(as: string | null, path: string): Promise<unknown>;
}

/** A server with all of them, for the tests of the surrounding `describe`. */
export const useStaff = (setting: Pick<TestServerOptions, 'dialect' | 'listener'>): Staff => {
  const server = useServer({
    ...setting,
    sql: librarySql(setting.dialect),
    meta: libraryMeta,
    access: staffAccess,
  });
  const send: Staff['send'] = (as, method, path, body) =>
    server().request(method, path, { ...(as !== null && { as }), ...(body !== undefined && { body }) });
  const get: Staff['get'] = async (as, path) => {
    const { data, codes } = await send(as, 'GET', path);
    return data ?? codes;
  };
  const ids: Staff['ids'] = async (as, path) => {
    const data = await get(as, path);
    return (data as { readonly id?: unknown }[]).map((row) => row.id ?? row);
  };
  return { server, send, get, ids };
};
