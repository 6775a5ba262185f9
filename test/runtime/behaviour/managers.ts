/** A caller who may write every row that says who may do what, and users with more and fewer permissions. */
import { everything } from '../harness/permissions.js';
import type { TestAccess } from '../server-harness.js';

export const managerAccess: TestAccess = {
  policies: {
    /** May change every row that says who may do what. */
    Manager: [
      ...['svc_users', 'svc_roles', 'svc_policies', 'svc_access', 'svc_permissions'].flatMap((name) =>
        everything(name),
      ),
      { collection: 'book', action: 'read', fields: ['id', 'title'], permissions: { stock: { _gt: 0 } } },
      { collection: 'author', action: 'read', fields: ['*'] },
    ],
    Titles: [{ collection: 'book', action: 'read', fields: ['title'], permissions: { stock: { _gt: 0 } } }],
    Prices: [{ collection: 'book', action: 'read', fields: ['price'] }],
  },
  roles: {
    Chief: { policies: ['Prices'] },
    Clerk: { parent: 'Chief', policies: ['Titles'] },
    Plain: { policies: ['Titles'] },
  },
  users: {
    manager: { policies: ['Manager'] },
    chief: { role: 'Chief' },
    plain: { role: 'Plain' },
    guest: {},
  },
};
