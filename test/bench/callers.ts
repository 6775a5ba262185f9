/** Callers other than the administrator with a static token. */
import { articleFields, statuses } from './data.js';
import type { Target } from './load.js';
import { administrator as account } from './servers.js';

const token = 'bench-reader-token';

/** Rows by an indexed column; the last two fields by a rule of their own. */
const permissions = [
  { fields: articleFields.slice(0, -2), permissions: { status: { _in: statuses } } },
  { fields: articleFields, permissions: { _and: [{ id: { _gt: 0 } }, { status: { _in: statuses } }] } },
];

/**
 * A caller whose policies say rows and fields, and yet reach all that an administrator sees. Made by the
 * administrator whose target is given. @throws Error where a row is refused
 */
export const createReader = async (administrator: Target): Promise<Target> => {
  const make = async (path: string, body: unknown): Promise<string> =>
    (await post<{ id: string }>(administrator, path, body)).id;
  const policy = await make('/policies', { name: 'Bench reader' });
  for (const permission of permissions) {
    await make('/permissions', { policy, collection: 'articles', action: 'read', ...permission });
  }
  const user = await make('/users', { email: 'reader@example.com', token });
  await make('/access', { policy, user });
  return { origin: administrator.origin, headers: { Authorization: `Bearer ${token}` } };
};

/** The administrator, as one who has logged in. @throws Error where that is refused */
export const logIn = async (administrator: Target): Promise<Target> => {
  const { access_token } = await post<{ access_token: string }>(administrator, '/auth/login', account);
  return { origin: administrator.origin, headers: { Authorization: `Bearer ${access_token}` } };
};

const post = async <Data>(target: Target, path: string, body: unknown): Promise<Data> => {
  const response = await fetch(`${target.origin}${path}`, {
    method: 'POST',
    headers: { ...target.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
};
