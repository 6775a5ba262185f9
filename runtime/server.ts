/** A service with its own listener, which a request process runs. */
import type { Config } from './config/config.js';
import { listen } from './http/node-server.js';
import { createService, type ServiceOptions } from './service.js';
import { urlOf } from './config/urls.js';

export type ServeOptions = Omit<ServiceOptions, 'base' | 'url'>;

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

/** Returns the path of `PUBLIC_URL` without a trailing slash. */
export const baseOf = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Opens the listener of `HOST` and `PORT` and serves requests. @throws Error when the port is taken */
export const serve = async (options: ServeOptions): Promise<Server> => {
  const { config, observe } = options;
  const { host, port } = config;
  let url = config.publicUrl ?? '';
  const service = await createService({ ...options, base: baseOf(config), url: () => url });
  const { messageOptions, respond, templateOf } = service;
  const listener = await listen({ ...messageOptions, host, port, respond, observe, templateOf });
  url = urlOf({ ...config, port: listener.port });
  return {
    url,
    async close() {
      await listener.close();
      await service.close();
    },
  };
};
