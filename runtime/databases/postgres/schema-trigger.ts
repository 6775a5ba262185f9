/** The event trigger that notifies servers of changed tables, and the connection that hears of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseOptions, Executor, SchemaTrigger } from '../contract.js';
import { RowClient } from './client.js';
import { clientOptions } from './options.js';

const name = 'svc_schema_changed';

/** Its function never fails, so that it cannot prevent a change; the notification is sent with the commit. */
const install = [
  `drop event trigger if exists ${name}`,
  `create or replace function ${name}() returns event_trigger language plpgsql set search_path = pg_catalog as ` +
    `$$ begin perform pg_notify('${name}', ''); exception when others then null; end $$`,
  `create event trigger ${name} on ddl_command_end execute function ${name}()`,
];

const remove = [`drop event trigger if exists ${name}`, `drop function if exists ${name}()`];

/** SQLSTATE. */
const insufficientPrivilege = '42501';

/** Milliseconds between two attempts to connect. */
const reconnectPause = 1_000;

/**
 * Creates the statements of the event trigger that reports changes of the schema, and what listens to it.
 * @param executor reads whether the trigger is installed
 */
export const createSchemaTrigger = (
  options: DatabaseOptions,
  executor: Pick<Executor, 'query'>,
): SchemaTrigger => ({
  install,
  remove,
  async isInstalled() {
    // one that is disabled does not count
    const rows = await executor.query(
      `select 1 as found from pg_catalog.pg_event_trigger where evtname = '${name}' and evtenabled in ('O', 'A')`,
    );
    return rows.length > 0;
  },
  isDenial: (error) => (error as { code?: unknown }).code === insufficientPrivilege,
  listen(changed) {
    const ending = new AbortController();
    const done = listenUntil(ending.signal, options, changed);
    return async () => {
      ending.abort();
      await done;
    };
  },
});

/** Listens, and connects again where the connection is lost. Changes meanwhile count as one after each connect. */
const listenUntil = async (
  signal: AbortSignal,
  options: DatabaseOptions,
  changed: () => void,
): Promise<void> => {
  while (!signal.aborted) {
    const client = new RowClient(clientOptions(options));
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', changed);
    try {
      await client.connect();
      await client.query(`listen ${name}`);
      changed();
      await lost;
    } catch {
      // the server may be away
    }
    await client.end().catch(() => undefined);
    await sleep(reconnectPause, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
