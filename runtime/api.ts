/** The package: the API inside of an application of one's own, and what generated code may use. */
import type { RequestListener } from 'node:http';
import { loadConfig } from './config/config.js';
import { createObserver } from './observe.js';
import { computeHashesInProcess } from './auth/passwords/hash.js';
import { openBuild } from './processes/open-build.js';
import { baseOf } from './server.js';
import { createService, type Service } from './service.js';
import { urlOf } from './config/urls.js';

export * from './index.js';

export interface Api {
  /** For `app.use(path, handler)` of Express, or any server that speaks `node:http`. It answers every request it gets. */
  readonly handler: RequestListener;
  /** Once no more requests come: ends what runs behind them, and the connections to the database. */
  close(): Promise<void>;
}

/**
 * Serves the database of `DATABASE_URL` without a listener of its own. What `svc start` reads from the environment and
 * the working directory counts here too; `PUBLIC_URL` is the address under which clients meet it, with its path.
 * @throws Refusal naming what is missing or faulty: variables, system tables, the spec; nothing stays open then
 */
export const createApi = async (env: NodeJS.ProcessEnv = process.env): Promise<Api> => {
  const config = loadConfig(env);
  computeHashesInProcess();
  const observe = await createObserver(config);
  const opened = await openBuild({ config, observe });
  let service: Service | null = null;
  const close = async (): Promise<void> => {
    await service?.close();
    await opened.close();
  };
  try {
    const base = baseOf(config);
    service = await createService({ ...opened, config, observe, base, url: () => urlOf(config) });
    return { handler: await service.loadApp(), close };
  } catch (error) {
    await close();
    throw error;
  }
};
