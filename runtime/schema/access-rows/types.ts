/** Types of the access part of a snapshot: the roles, policies, access rows and permissions that do not belong to single users. */

/** A row by column, with booleans, lists and JSON as values of JavaScript. */
export type AccessEntry = Readonly<Record<string, unknown>>;

export const accessLists = ['roles', 'policies', 'access', 'permissions'] as const;
export type AccessList = (typeof accessLists)[number];

/** Makes a value for each list. */
export const perList = <Value>(make: (list: AccessList) => Value): Readonly<Record<AccessList, Value>> => ({
  roles: make('roles'),
  policies: make('policies'),
  access: make('access'),
  permissions: make('permissions'),
});

/** The entries of each list. */
export type AccessSnapshot = Readonly<Record<AccessList, readonly AccessEntry[]>>;

/** The columns of each table that snapshots have, and how their values are stored. */
export const columnKinds: Readonly<
  Record<AccessList, Readonly<Record<string, 'boolean' | 'list' | 'json' | 'number' | 'text'>>>
> = {
  roles: { id: 'text', name: 'text', icon: 'text', description: 'text', parent: 'text' },
  policies: {
    id: 'text',
    name: 'text',
    icon: 'text',
    description: 'text',
    admin_access: 'boolean',
    operator_access: 'boolean',
    app_access: 'boolean',
    enforce_tfa: 'boolean',
    ip_access: 'list',
  },
  access: { id: 'text', role: 'text', policy: 'text', sort: 'number' },
  permissions: {
    policy: 'text',
    collection: 'text',
    action: 'text',
    permissions: 'json',
    validation: 'json',
    presets: 'json',
    fields: 'list',
  },
};

const keyOf = (list: AccessList, entry: AccessEntry): string =>
  list === 'permissions'
    ? [entry.policy, entry.collection, entry.action].map(String).join('/')
    : String(entry.id);

/**
 * Returns the entries of a list by id. Permissions have the same one on every instance: policy, collection and action, with
 * a number from the second of a kind on.
 */
export const entriesById = (
  list: AccessList,
  entries: readonly AccessEntry[],
): ReadonlyMap<string, AccessEntry> => {
  const byId = new Map<string, AccessEntry>();
  for (const entry of entries) {
    const key = keyOf(list, entry);
    let id = key;
    for (let count = 2; byId.has(id); count += 1) id = `${key}/${count}`;
    byId.set(id, entry);
  }
  return byId;
};

export const noAccess: AccessSnapshot = { roles: [], policies: [], access: [], permissions: [] };

/** Returns the access part of a snapshot, or null where it has none. */
export const accessOf = (snapshot: Partial<AccessSnapshot>): AccessSnapshot | null => {
  if (accessLists.every((list) => snapshot[list] === undefined)) return null;
  return perList((list) => snapshot[list] ?? []);
};
