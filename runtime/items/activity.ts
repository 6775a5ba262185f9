/**
 * Records the user, time and client of changes in `svc_activity`, together with the change; values are never
 * recorded.
 */
import { chunk } from '../execute/chunk.js';
import { databaseTime } from '../execute/database-time.js';
import type { Executor } from '../databases/contract.js';
import type { Key } from '../plan/write-plan.js';
import type { CompletedWrite } from '../execute/write-transaction.js';
import type { Scalar } from '../plan/parsed-value.js';
import type { WriteRow } from '../plan/write-plan.js';
import { compileInsert } from '../sql/insert.js';
import type { ItemContext } from './context.js';

/** Rows per statement. */
const batchSize = 500;

/** User, time and client of a write. */
export interface ActivityContext extends Pick<ItemContext, 'registry' | 'dialect' | 'client' | 'now'> {
  readonly principal: { readonly user: { readonly id: string } | null };
}

/** Inserts one row per changed item into `svc_activity`. */
export const recordActivity = async (
  written: readonly CompletedWrite[],
  executor: Executor,
  context: ActivityContext,
): Promise<void> => {
  const activity = context.registry.collections.get('svc_activity');
  const recorded = written.filter(({ collection }) => collection.activity !== null);
  if (activity === undefined || recorded.length === 0) return;
  const entries = recorded.flatMap((each) => each.keys.map((key) => ({ each, key })));
  for (const part of chunk(entries, batchSize)) {
    const rows = part.map(({ each, key }) => rowOf(each, key, context));
    await executor.write(compileInsert(activity, rows, { dialect: context.dialect, returning: null }));
  }
};

const rowOf = (
  { collection, action, fields }: CompletedWrite,
  key: Key,
  context: ActivityContext,
): WriteRow => {
  const { principal, client, now } = context;
  const agent = client.headers['user-agent'];
  const named = collection.activity === 'all' && action !== 'delete' ? fields.join() : null;
  return new Map<string, Scalar | null>([
    ['action', action],
    ['collection', collection.name],
    ['fields', named],
    ['user', principal.user?.id ?? null],
    ['timestamp', databaseTime(now)],
    ['ip', client.address() || null],
    ['user_agent', typeof agent === 'string' ? agent.slice(0, 255) : null],
    ['item', itemOf(key)],
  ]);
};

const itemOf = (key: Key): string =>
  key
    .map((part) => (Buffer.isBuffer(part) ? part.toString('base64') : String(part)))
    .join()
    .slice(0, 255);
