/** A service on a listener of its own: what a request process runs. */
import { listen } from './listen.js';
import { createService, type ServiceOptions } from './service.js';

export type ServeOptions = Omit<ServiceOptions, 'base'>;

export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

export const serve = async (options: ServeOptions): Promise<Server> => {
  const { host, port, publicUrl } = options.config;
  const base = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  const service = await createService({ ...options, base });
  const { edge, answer, loadApp } = service;
  const { observe } = options;
  const listener = await listen({ ...edge, host, port, answer, observe, loadRest: loadApp });
  return {
    url: publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    async close() {
      await listener.close();
      service.close();
    },
  };
};
