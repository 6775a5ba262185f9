/**
 * Entry point of the package: embeds the API in another application, and exports what generated code may use.
 */
import type { RequestListener } from 'node:http';
import { loadConfig } from './config/config.js';
import { createObserver } from './log/observers.js';
import { createHashProcess } from './auth/passwords/hash-process.js';
import { computeHashesBy } from './auth/passwords/hash.js';
import { createWatchdog } from './processes/watchdog.js';
import { createBuildSource } from './processes/build-source.js';
import { openBuild } from './processes/open-build.js';
import { registerProcess, type Unregister } from './processes/registration.js';
import { baseOf } from './server.js';
import { createReloadingService } from './reloading-service.js';
import type { Service } from './service.js';
import { startTracing } from './tracing/tracing.js';
import { urlOf } from './config/urls.js';

export * from './index.js';

export interface Api {
  /** Handler for `app.use(path, handler)` of Express or any `node:http` server. Responds to every request. */
  readonly handler: RequestListener;
  /** Stops background work and closes the database connections. Call it when no more requests arrive. */
  close(): Promise<void>;
}

/**
 * Serves the database of `DATABASE_URL` without a listener of its own. Reads the same environment and working
 * directory as `svc start`; `PUBLIC_URL` is the address that clients use, with its path.
 * @throws Refusal naming missing or faulty variables, system tables or spec files; nothing stays open then
 */
export const createApi = async (env: NodeJS.ProcessEnv = process.env): Promise<Api> => {
  const config = loadConfig(env);
  computeHashesBy(createHashProcess());
  const observe = await createObserver(config);
  const opened = await openBuild({ config, observe });
  const watchdog = createWatchdog({ config, ends: false });
  const tracing = await startTracing({ endpoint: config.traces, service: 'svc-api' });
  let service: Service | null = null;
  let unregister: Unregister | null = null;
  const close = async (): Promise<void> => {
    await service?.close();
    await unregister?.();
    await opened.close();
    await tracing.close();
    watchdog.close();
  };
  try {
    const base = baseOf(config);
    const { track } = watchdog;
    const { schema: _schema, load: _load, generation: _generation, ...build } = opened;
    const source = createBuildSource({ opened, interval: config.schemaWatch, observe });
    service = await createReloadingService({
      ...build,
      source,
      config,
      observe,
      base,
      url: () => urlOf(config),
      track,
      tracing,
    });
    unregister = await registerProcess(opened.database, source);
    watchdog.start();
    return { handler: await service.loadApp(), close };
  } catch (error) {
    await close();
    throw error;
  }
};
