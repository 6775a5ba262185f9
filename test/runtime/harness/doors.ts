/** The two ways in: node:http, and an Express application inside somebody else's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
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

export const mountPath = '/content';

/** An Express application to be embedded. */
const createEmbeddable = async ({ config, database, observe, ...built }: ServeOptions) => {
  const dialect = await loadDialect(database.dialect);
  const registry = createRegistry(built.declarations);
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
  const { openapi } = built;
  const bodies = createServerOperations({ database, registry, openapi, base: mountPath });
  const operations = createOperationRoutes(bodies, access);
  const answer = createAnswer({ handle, availability, observe });
  const edge = { base: mountPath, payloadMax: config.payloadMax, explorer: config.explorer };
  return { app: createApp({ ...edge, answer, operations, availability, observe }), availability };
};

export interface DoorServer extends Server {
  /** Ours, where it is embedded. */
  readonly app?: Express;
}

/** An embedder's application, with ours below a path of it. */
const serveInExpress = async (options: ServeOptions): Promise<DoorServer> => {
  const { app, availability } = await createEmbeddable(options);
  const listener = createServer(express().use(mountPath, app));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}${mountPath}`,
    app,
    async close() {
      availability.close();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
        listener.closeIdleConnections();
      });
    },
  };
};

export type Door = 'plain' | 'express';

export const doors: Readonly<Record<Door, (options: ServeOptions) => Promise<DoorServer>>> = {
  plain: serve,
  express: serveInExpress,
};
