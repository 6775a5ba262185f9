/**
 * A service that can be replaced while it serves: requests that have begun end on the build they began with, and the next
 * ones get the new build. A request that failed because the schema has changed is run again on the new build.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiRequest, ApiResponse } from './request/api-request.js';
import { OutdatedSchema } from './request/outdated-schema.js';
import type { ServiceOptions, Service } from './service.js';
import { createService } from './service.js';

/** The parts of a service that its build contains. */
export type ServiceBuild = Pick<
  ServiceOptions,
  'declarations' | 'routes' | 'openapi' | 'graphql' | 'queueModels' | 'functions' | 'findSchemaChanges'
>;

/** Puts a build in place of the last. */
export type Replace = (build: ServiceBuild) => Promise<void>;

/** Replaces nothing, for a source without a subscriber. */
export const replaceNothing: Replace = async () => undefined;

/** Source of new builds. */
export interface BuildSource {
  /**
   * Looks at the schema; resolves when the build of the schema as it is now is served.
   * @param forced looks thoroughly, and at the spec as well
   * @throws Error where it cannot be made
   */
  look(forced: boolean): Promise<void>;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  failure(): string | null;
  /** Sets what is called with each new build. */
  subscribe(replace: Replace): void;
  /** Ends looks at intervals; resolves when no build is being replaced. */
  close(): Promise<void>;
}

export interface ReloadingOptions extends ServiceOptions {
  /** Without it, nothing is replaced. */
  readonly source?: BuildSource;
}

interface Generation {
  readonly service: Service;
  /** Number of requests in progress. */
  requests: number;
  /** Called when the last request has ended. */
  onIdle: (() => void) | null;
}

/** Milliseconds for which a request waits for a new build. */
const buildLimit = 10_000;

export const createReloadingService = async ({ source, ...options }: ReloadingOptions): Promise<Service> => {
  if (source === undefined) return createService(options);
  const reload = (): Promise<void> => source.look(true);
  const open = async (build: Partial<ServiceBuild>): Promise<Generation> => {
    const service = await createService({ ...options, ...build, reload, reloadFailure: source.failure });
    return { service, requests: 0, onIdle: null };
  };
  let current = await open({});
  source.subscribe(async (build) => {
    const next = await open(build);
    const last = current;
    current = next;
    void closeWhenIdle(last);
  });
  const respond = createRetry(() => current, source);
  return {
    messageOptions: current.service.messageOptions,
    respond,
    templateOf: (request) => current.service.templateOf(request),
    async loadApp() {
      const { createApp } = await import('./http/express-app.js');
      return createApp({ ...current.service.messageOptions, respond, routes: options.routes });
    },
    async close() {
      await source.close();
      await current.service.close();
    },
  };
};

const createRetry = (current: () => Generation, source: BuildSource): Service['respond'] => {
  const retry = async (request: ApiRequest, first: Generation): Promise<ApiResponse> => {
    const until = performance.now() + buildLimit;
    let failed = first;
    for (;;) {
      const look = source.look(false).catch(() => undefined);
      await Promise.race([look, sleep(Math.max(0, until - performance.now()), undefined, { ref: false })]);
      const isLast = current() === failed || performance.now() >= until;
      failed = current();
      try {
        return await run(failed, isLast ? { ...request, isLastTry: true } : request);
      } catch (error) {
        if (!(error instanceof OutdatedSchema)) throw error;
      }
    }
  };
  return async (request) => {
    const generation = current();
    try {
      return await run(generation, request);
    } catch (error) {
      if (error instanceof OutdatedSchema) return retry(request, generation);
      throw error;
    }
  };
};

const run = async (generation: Generation, request: ApiRequest): Promise<ApiResponse> => {
  generation.requests += 1;
  try {
    return await generation.service.respond(request);
  } finally {
    generation.requests -= 1;
    if (generation.requests === 0) generation.onIdle?.();
  }
};

const closeWhenIdle = async (generation: Generation): Promise<void> => {
  if (generation.requests > 0) await new Promise<void>((resolve) => (generation.onIdle = resolve));
  await generation.service.close();
};
