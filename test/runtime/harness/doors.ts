/** The two ways in: node:http, and an Express application inside somebody else's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { createService } from '../../../runtime/service.js';
import { serve, type Server, type ServeOptions } from '../../../runtime/server.js';

export const mountPath = '/content';

export interface DoorServer extends Server {
  /** Ours, where it is embedded. */
  readonly app?: Express;
}

/** An embedder's application, with ours below a path of it. */
const serveInExpress = async (options: ServeOptions): Promise<DoorServer> => {
  let url = '';
  const service = await createService({ ...options, base: mountPath, url: () => url });
  const app = await service.loadApp();
  const listener = createServer(express().use(mountPath, app));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${mountPath}`;
  return {
    url,
    app,
    async close() {
      await service.close();
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
