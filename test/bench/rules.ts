/** A caller whose policies say rows and fields, and yet reach all that an administrator sees. */
import { articleFields, statuses } from './data.js';
import type { Target } from './load.js';

const token = 'bench-reader-token';

/** Rows by an indexed column; the last two fields by a rule of their own. */
const permissions = [
  { fields: articleFields.slice(0, -2), permissions: { status: { _in: statuses } } },
  { fields: articleFields, permissions: { _and: [{ id: { _gt: 0 } }, { status: { _in: statuses } }] } },
];

/** Made by the administrator whose target is given. @throws Error where a row is refused */
export const createReader = async (administrator: Target): Promise<Target> => {
  const make = async (path: string, body: unknown): Promise<string> => {
    const response = await fetch(`${administrator.origin}${path}`, {
      method: 'POST',
      headers: { ...administrator.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`POST ${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: { id: string } }).data.id;
  };
  const policy = await make('/policies', { name: 'Bench reader' });
  for (const permission of permissions) {
    await make('/permissions', { policy, collection: 'articles', action: 'read', ...permission });
  }
  const user = await make('/users', { email: 'reader@example.com', token });
  await make('/access', { policy, user });
  return { origin: administrator.origin, headers: { Authorization: `Bearer ${token}` } };
};
