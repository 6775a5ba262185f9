/** A service with its own listener, which a request process runs. */
import type { Config } from './config/config.js';
import { listen, type ConnectionSource } from './http/node-server.js';
import { createReloadingService, type ReloadingOptions } from './reloading-service.js';
import { urlOf } from './config/urls.js';

export interface ServeOptions extends Omit<ReloadingOptions, 'base' | 'url'> {
  /** Source of connections; without it, the server listens itself. */
  readonly connections?: ConnectionSource;
}

export interface Server {
  readonly url: string;
  /** @param grace milliseconds for which clients may still use their connections */
  close(grace?: number): Promise<void>;
}

/** Returns the path of `PUBLIC_URL` without a trailing slash. */
export const baseOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Opens the listener of `HOST` and `PORT` and serves requests. @throws Error when the port is taken */
export const serve = async (options: ServeOptions): Promise<Server> => {
  const { config, observe } = options;
  const { host, port } = config;
  let url = config.publicUrl ?? '';
  const service = await createReloadingService({ ...options, base: baseOf(config), url: () => url });
  const { messageOptions, respond, templateOf } = service;
  const listener = await listen({
    ...messageOptions,
    host,
    port,
    respond,
    observe,
    templateOf,
    ...(options.connections !== undefined && { connections: options.connections }),
  });
  url = urlOf({ ...config, port: listener.port });
  return {
    url,
    async close(grace) {
      await listener.close(grace);
      await service.close();
    },
  };
};
