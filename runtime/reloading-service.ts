/**
 * A service that can be replaced while it serves: requests that have begun end on the build they began with, and the next
 * ones get the new build. A request that failed because the schema has changed is run again on the new build.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiRequest, ApiResponse } from './request/api-request.js';
import { OutdatedSchema } from './request/outdated-schema.js';
import type { Reload } from './operations/services.js';
import type { ServiceOptions, Service } from './service.js';
import { createService } from './service.js';

/** The parts of a service that its build contains. */
export type ServiceBuild = Pick<
  ServiceOptions,
  'declarations' | 'routes' | 'openapi' | 'graphql' | 'queueModels' | 'functions' | 'findSchemaChanges'
>;

/** Puts a build in place of the last. */
export type Replace = (build: ServiceBuild) => Promise<Replaced>;

export interface Replaced {
  /** Resolves when no request that relies on a former build is in progress. */
  readonly drained: Promise<void>;
}

/** Replaces nothing, for a source without a subscriber. */
export const replaceNothing: Replace = async () => ({ drained: Promise.resolve() });

/** Source of new builds. */
export interface BuildSource {
  /**
   * Looks at the schema; resolves when the build of the schema as it is now is served.
   * @param forced compares the whole schema, and the spec as well
   * @throws Error where it cannot be made
   */
  check(forced: boolean): Promise<void>;
  /** Returns why the schema as it is now cannot be served; null where it can. */
  failure(): string | null;
  /** Returns the generation of the schema that the oldest request in progress relies on. */
  generation(): number;
  /** Sets what is called when the generation has changed. */
  onGeneration(changed: () => void): void;
  /** Sets what is called with each new build. */
  subscribe(replace: Replace): void;
  /** Ends checks at intervals; resolves when no build is being replaced. */
  close(): Promise<void>;
}

export interface ReloadingOptions extends ServiceOptions {
  /** Builds of later schemas; absent where nothing is replaced. */
  readonly source?: BuildSource;
  /** Milliseconds for which a request waits for a new build. */
  readonly buildLimit?: number;
}

const defaultBuildLimit = 10_000;

/** Creates the service. Without a source of builds it serves the first one for good. */
export const createReloadingService = async ({
  source,
  buildLimit = defaultBuildLimit,
  ...options
}: ReloadingOptions): Promise<Service> => {
  if (source === undefined) return createService(options);
  const open = async (build: Partial<ServiceBuild>): Promise<Generation> => {
    const use = createUse();
    const reload: Reload = (then) =>
      use.outside(async () => {
        await source.check(true);
        await then?.();
      });
    const rest = { reload, reloadFailure: source.failure, keepBuild: use.inside };
    const service = await createService({ ...options, ...build, ...rest });
    return { service, use };
  };
  let current = await open({});
  const former = new Set<Generation>();
  source.subscribe(async (build) => {
    const next = await open(build);
    const last = current;
    current = next;
    former.add(last);
    void last.use.ended().then(async () => {
      former.delete(last);
      await last.service.close();
    });
    return { drained: Promise.all([...former].map(({ use }) => use.drained())).then(() => undefined) };
  });
  const respond = createRetry(() => current, { source, buildLimit });
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

interface Generation {
  readonly service: Service;
  readonly use: Use;
}

/** The requests in progress on a build. */
interface Use {
  /** Runs a request on it. */
  inside<Result>(body: () => Promise<Result>): Promise<Result>;
  /** Runs a part of such a request that no longer relies on it, as it waits for the next one. */
  outside<Result>(body: () => Promise<Result>): Promise<Result>;
  /** Resolves when no request is in progress. */
  ended(): Promise<void>;
  /** Resolves when none relies on it. */
  drained(): Promise<void>;
}

const createUse = (): Use => {
  const state = { requests: 0, outside: 0 };
  const waiting = new Set<() => void>();
  const add = (key: keyof typeof state, step: 1 | -1): void => {
    state[key] += step;
    for (const check of waiting) check();
  };
  const during =
    (key: keyof typeof state) =>
    async <Result>(body: () => Promise<Result>): Promise<Result> => {
      add(key, 1);
      try {
        return await body();
      } finally {
        add(key, -1);
      }
    };
  const until = (isMet: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (!isMet()) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return {
    inside: during('requests'),
    outside: during('outside'),
    ended: () => until(() => state.requests === 0),
    drained: () => until(() => state.requests === state.outside),
  };
};

const createRetry = (
  current: () => Generation,
  { source, buildLimit }: Required<Pick<ReloadingOptions, 'source' | 'buildLimit'>>,
): Service['respond'] => {
  const retry = async (request: ApiRequest, first: Generation): Promise<ApiResponse> => {
    const until = performance.now() + buildLimit;
    let failed = first;
    for (;;) {
      const check = source.check(false).then(
        () => true,
        () => true,
      );
      const limit = sleep(Math.max(0, until - performance.now()), false, { ref: false });
      const isChecked = await Promise.race([check, limit]);
      const isSame = current() === failed;
      failed = current();
      try {
        if (!isChecked && isSame) return await run(failed, { ...request, isLate: true });
        const isLast = isSame || performance.now() >= until;
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

const run = ({ service, use }: Generation, request: ApiRequest): Promise<ApiResponse> =>
  use.inside(() => service.respond(request));
