/**
 * A process that has loaded everything but the build: it checks the schema for all processes of the supervisor, makes
 * new builds, and takes the place of a process that serves a former one.
 */
import type { Config } from '../config/config.js';
import { connect } from '../databases/connect.js';
import type { Database } from '../databases/contract.js';
import { watchDatabase } from '../metrics/database.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Observe } from '../observe.js';
import type { Builder } from './builder.js';
import type { Finding, Instruction, Report } from './messages.js';
import { createBuildCheck } from './build-check.js';
import { watchSchema } from './schema-watch.js';

export interface SpareOptions {
  readonly config: Config;
  readonly observe: Observe;
  readonly builder: Builder;
  /** The build that is served. */
  readonly directory: string;
  report(message: Report): void;
  /** Null where nobody reads them. */
  readonly metrics: Pick<Metrics, 'watch'> | null;
}

export interface Spare {
  readonly database: Database;
  /** The build to serve. */
  readonly directory: string;
}

/**
 * Connects, polls the schema and reports what it finds until this process is to serve, and stops polling then.
 * @returns the connection, and the folder of the build to serve
 */
export const waitAsSpare = async ({
  config,
  observe,
  builder,
  directory,
  report,
  metrics,
}: SpareOptions): Promise<Spare> => {
  const [database] = await Promise.all([connect(config, observe), import('../server.js')]);
  // otherwise a database that was away when the spare started would count as lost until it serves
  metrics?.watch(watchDatabase(database));
  const schema = createBuildCheck({ config, database, observe, builder }, directory);
  let known: Finding = { kind: 'found', id: null, directory, generation: 0, failure: null };
  const check = async (forced: boolean, id: number | null): Promise<void> => {
    const found = await schema.check(forced).catch(() => known);
    const { generation } = found;
    const next: Finding = {
      kind: 'found',
      id,
      directory: found.directory,
      generation,
      failure: schema.failure(),
    };
    const isNews =
      next.directory !== known.directory || generation !== known.generation || next.failure !== known.failure;
    known = next;
    if (isNews || id !== null) report(next);
  };
  return new Promise((resolve) => {
    const stop = watchSchema({
      interval: config.schemaWatch,
      database,
      observe,
      check: () => check(false, null),
    });
    const receive = (message: Instruction): void => {
      if (message.kind === 'check') void check(message.forced, message.id);
      if (message.kind !== 'serve') return;
      stop();
      process.off('message', receive);
      resolve({ database, directory: message.directory });
    };
    process.on('message', receive);
    report({ kind: 'spare' });
  });
};
