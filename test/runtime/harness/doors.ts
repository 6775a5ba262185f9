/** The two ways in: node:http, and an Express application inside somebody else's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAccess } from '../../../runtime/access/access.js';
import { createAnswer } from '../../../runtime/answer.js';
import { watchAvailability } from '../../../runtime/availability.js';
import { createRegistry } from '../../../runtime/collection.js';
import { createAccessSource } from '../../../runtime/execute/access-source.js';
import { createApp } from '../../../runtime/express.js';
import { createHandle } from '../../../runtime/handle.js';
import { createOperationRoutes } from '../../../runtime/operations/routes.js';
import { createServerOperations } from '../../../runtime/operations/server.js';
import { serve, type Server, type ServeOptions } from '../../../runtime/server.js';
import { loadDialect } from '../../../runtime/sql/dialects.js';

const mountPath = '/content';

/** An embedder's application, with ours below a path of it. */
const serveInExpress = async (options: ServeOptions): Promise<Server> => {
  const { config, database, observe } = options;
  const dialect = await loadDialect(database.dialect);
  const registry = createRegistry(options.declarations);
  const access = createAccess(createAccessSource(database, dialect.quote));
  const availability = watchAvailability(database, observe);
  const { limitDefault, limitMax, limitMaxPublic, relationalDepth } = config.query;
  const handle = createHandle({
    registry,
    database,
    dialect,
    access,
    limits: { fallback: limitDefault, most: limitMax === -1 ? null : limitMax },
    publicLimits: { fallback: limitDefault, most: limitMaxPublic === -1 ? null : limitMaxPublic },
    maxDepth: relationalDepth,
  });
  const bodies = createServerOperations({ database, registry, openapi: options.openapi });
  const operations = createOperationRoutes(bodies, access);
  const answer = createAnswer({ handle, availability, observe });
  const embedder = express();
  const edge = { base: mountPath, payloadMax: config.payloadMax, explorer: config.explorer };
  embedder.use(mountPath, createApp({ ...edge, answer, operations, availability, observe }));
  const listener = createServer(embedder);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}${mountPath}`,
    async close() {
      availability.close();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeIdleConnections();
      });
    },
  };
};

export const doors = { plain: serve, express: serveInExpress } as const;

export type Door = keyof typeof doors;
