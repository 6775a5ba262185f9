/** The real pipeline on the archive, for whatever access says. */
import type { Access } from '../../../runtime/access/access.js';
import { createRegistry, defineCollection } from '../../../contract/collection.js';
import { integer, string } from '../../../contract/fields.js';
import { loadDialect } from '../../../runtime/databases/open.js';
import { handleItems, type Handle } from '../harness/items.js';
import type { Archive } from './archive.js';
import { toStoredToken } from '../harness/plain-tokens.js';
import { unboundedServices } from '../harness/unbounded-services.js';

/** Rows of a list without a limit. */
export const fallback = 6;

/** Milliseconds a property may take: a busy machine takes its time. */
export const patience = process.env.LONG === undefined ? 180_000 : 3_600_000;

/** Holds what `$CURRENT_USER.person` reads; never read as rows. */
const users = createRegistry([
  defineCollection({
    name: 'svc_users',
    path: '/users',
    key: ['id'],
    fields: { id: string(), person: integer() },
  }),
]);

const observe = () => undefined;

export const openPipeline = async ({
  registry,
  database,
  dialect: name,
}: Archive): Promise<(access: Access) => Handle> => {
  const limits = { fallback, maximum: null, nestedRows: null };
  const dialect = await loadDialect(name);
  const withUsers = { ...registry, collections: new Map([...registry.collections, ...users.collections]) };
  const services = {
    registry: withUsers,
    database,
    dialect,
    limits,
    publicLimits: limits,
    maxDepth: 10,
    ...unboundedServices,
    observe,
    toStoredToken,
    tagOf: async () => null,
  };
  return (access) => handleItems({ ...services, access });
};
