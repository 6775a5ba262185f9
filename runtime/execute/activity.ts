/** Records changes that are not made through the actions on items, which record their own (`items/activity.ts`). */
import { databaseTime } from './database-time.js';
import { insertRow, type Statements } from './system-rows.js';

export interface ActivityEntry {
  readonly action: string;
  readonly collection: string;
  /** Key of the changed row, or what is known in its place; cut to 255 characters. */
  readonly item: string;
  /** Names of the written columns; absent where the action says it all. */
  readonly fields?: readonly string[];
  /** Id of the user; absent or `null` for a command. */
  readonly user?: string | null;
  /** Reason that was given for it. */
  readonly reason?: string | null;
  /** Client of the request; absent for a command. */
  readonly client?: { readonly address: string; readonly userAgent: string | null } | undefined;
}

/** Inserts one row into `svc_activity`, with the time of this process. */
export const recordChange = (
  statements: Statements,
  { action, collection, item, fields, user = null, reason = null, client }: ActivityEntry,
): Promise<void> =>
  insertRow(statements, 'svc_activity', {
    action,
    collection,
    item: item.slice(0, 255),
    ...(fields !== undefined && { fields: fields.join() }),
    user,
    timestamp: databaseTime(new Date()),
    ip: client?.address || null,
    user_agent: client?.userAgent?.slice(0, 255) ?? null,
    // only then, because a database that an earlier version prepared has no such column
    ...(reason !== null && { reason }),
  });
