/** The two listeners: node:http, and an Express application mounted in another one. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { createReloadingService } from '../../../runtime/reloading-service.js';
import { serve, type Server, type ServeOptions } from '../../../runtime/server.js';

export const mountPath = '/content';

export interface ListenerServer extends Server {
  /** The outer application, if there is one. */
  readonly app?: Express;
}

/** An embedder's application, with ours below a path of it. */
const serveInExpress = async (options: ServeOptions): Promise<ListenerServer> => {
  let url = '';
  const service = await createReloadingService({ ...options, base: mountPath, url: () => url });
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

export type ListenerName = 'plain' | 'express';

export const listeners: Readonly<Record<ListenerName, (options: ServeOptions) => Promise<ListenerServer>>> = {
  plain: serve,
  express: serveInExpress,
};
