/** The composition of one request process: what is served, by which parts. */
import { createAccess } from './access/access.js';
import { createAnswer } from './answer.js';
import { watchAvailability } from './availability.js';
import { createRegistry, type CollectionDeclaration } from './collection.js';
import type { Config } from './config.js';
import { createAccessSource } from './execute/access-source.js';
import type { Database } from './execute/database.js';
import { createHandle } from './handle.js';
import { listen } from './listen.js';
import type { Observe } from './observe.js';
import type { Limits } from './sql/read.js';
import { loadDialect } from './sql/dialects.js';

export interface ServeOptions {
  readonly config: Config;
  readonly declarations: readonly CollectionDeclaration[];
  /** File of the OpenAPI document. */
  readonly openapi: string;
  readonly database: Database;
  readonly observe: Observe;
}

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export const serve = async (options: ServeOptions): Promise<Server> => {
  const { config, database, observe } = options;
  const dialect = await loadDialect(database.dialect);
  const registry = createRegistry(options.declarations);
  const access = createAccess(createAccessSource(database, dialect.quote));
  const availability = watchAvailability(database, observe);
  const handle = createHandle({
    registry,
    database,
    dialect,
    access,
    limits: limitsOf(config, config.query.limitMax),
    publicLimits: limitsOf(config, config.query.limitMaxPublic),
    maxDepth: config.query.relationalDepth,
  });
  const answer = createAnswer({ handle, availability, observe });
  const base = config.publicUrl === null ? '' : new URL(config.publicUrl).pathname.replace(/\/$/, '');
  const edge = { base, payloadMax: config.payloadMax };
  const listener = await listen({
    ...edge,
    host: config.host,
    port: config.port,
    answer,
    async loadRest() {
      const [{ createApp }, { createOperationRoutes }, { createServerOperations }] = await Promise.all([
        import('./express.js'),
        import('./operations/routes.js'),
        import('./operations/server.js'),
      ]);
      const bodies = createServerOperations({ database, registry, openapi: options.openapi, base });
      const operations = createOperationRoutes(bodies, access);
      return createApp({ ...edge, answer, operations, explorer: config.explorer, availability, observe });
    },
  });
  return {
    url:
      config.publicUrl ??
      `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${listener.port}`,
    async close() {
      await listener.close();
      availability.close();
    },
  };
};

const limitsOf = (config: Config, most: number): Limits => ({
  fallback: config.query.limitDefault,
  most: most === -1 ? null : most,
});
