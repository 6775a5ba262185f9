/** A service on a listener of its own: what a request process runs. */
import { listen } from './listen.js';
import { createService, type ServiceOptions } from './service.js';

export type ServeOptions = Omit<ServiceOptions, 'base' | 'url'>;

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export const serve = async (options: ServeOptions): Promise<Server> => {
  const { config, observe } = options;
  const { host, port, publicUrl } = config;
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  let url = publicUrl ?? '';
  const service = await createService({ ...options, base, url: () => url });
  const { edge, answer, loadApp } = service;
  const listener = await listen({ ...edge, host, port, answer, observe, loadRest: loadApp });
  url = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
  return {
    url,
    async close() {
      await listener.close();
      await service.close();
    },
  };
};
