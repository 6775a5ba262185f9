/**
 * A service that can be replaced while it serves: requests that have begun end on the build they began with, and the next
 * ones get the new build. Modules of old builds stay in memory, so processes under a supervisor are replaced instead.
 */
import type { ServiceOptions, Service } from './service.js';
import { createService } from './service.js';

/** What a service has from its build. */
export type ServiceBuild = Pick<
  ServiceOptions,
  'declarations' | 'routes' | 'openapi' | 'graphql' | 'queueModels' | 'functions' | 'findSchemaChanges'
>;

export interface ReloadingOptions extends ServiceOptions {
  /** Loads the build of the schema that the database has now; without it, nothing is replaced. */
  readonly rebuild?: () => Promise<ServiceBuild>;
}

interface Generation {
  readonly service: Service;
  /** Number of requests in progress. */
  requests: number;
  /** Called when the last request has ended. */
  onIdle: (() => void) | null;
}

/** Number of replacements after which a restart is suggested. */
const manyReloads = 20;

export const createReloadingService = async ({ rebuild, ...options }: ReloadingOptions): Promise<Service> => {
  if (rebuild === undefined) return createService(options);
  let reloads = 0;
  const open = async (build: Partial<ServiceBuild>): Promise<Generation> => {
    const service = await createService({ ...options, ...build, reload });
    return { service, requests: 0, onIdle: null };
  };
  const replace = async (): Promise<void> => {
    const next = await open(await rebuild());
    const last = current;
    current = next;
    void closeWhenIdle(last);
    reloads += 1;
    if (reloads >= manyReloads) {
      const message = `the schema was reloaded ${reloads} times; a restart frees the memory of former builds`;
      options.observe({ kind: 'warning', message });
    }
  };
  let reloading: Promise<void> = Promise.resolve();
  // one after the other, as a change that comes during a reload may not be in it
  const reload = (): Promise<void> => (reloading = reloading.then(replace, replace));
  let current = await open({});
  const respond: Service['respond'] = async (request) => {
    const generation = current;
    generation.requests += 1;
    try {
      return await generation.service.respond(request);
    } finally {
      generation.requests -= 1;
      if (generation.requests === 0) generation.onIdle?.();
    }
  };
  return {
    messageOptions: current.service.messageOptions,
    respond,
    templateOf: (request) => current.service.templateOf(request),
    async loadApp() {
      const { createApp } = await import('./http/express-app.js');
      return createApp({ ...current.service.messageOptions, respond, routes: options.routes });
    },
    async close() {
      await reloading.catch(() => undefined);
      await current.service.close();
    },
  };
};

const closeWhenIdle = async (generation: Generation): Promise<void> => {
  if (generation.requests > 0) await new Promise<void>((resolve) => (generation.onIdle = resolve));
  await generation.service.close();
};
