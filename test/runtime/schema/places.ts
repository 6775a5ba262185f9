/** Databases with system tables for tests of snapshot, diff and apply, without a server. */
import { randomUUID } from 'node:crypto';
import { afterEach } from 'vitest';
import { beatProcess } from '../../../runtime/schema/processes.js';
import {
  diffSnapshot,
  takeSnapshot,
  applyDifference,
  type Difference,
  type DiffOptions,
} from '../../../runtime/schema/service.js';
import type { Snapshot } from '../../../runtime/schema/snapshot/types.js';
import { createTestDatabase, type TestDatabase, type TestDialect } from '../../databases.js';
import { systemTemplate } from '../../templates.js';

export interface Place extends TestDatabase {
  snapshot(): Promise<Snapshot>;
  diff(snapshot: unknown, options?: Partial<DiffOptions>): Promise<Difference | null>;
  apply(difference: Difference, options?: { readonly acceptLoss?: boolean }): Promise<void>;
  /** Makes the database that of a snapshot. */
  become(snapshot: unknown): Promise<void>;
  /** Makes applies have two phases, where the database is not embedded: a process serves the API, and has always followed. */
  serve(): Promise<void>;
}

/** Creates places for the tests of a file; each is dropped after its test. */
export const usePlaces = (): typeof createPlace => {
  const open: Place[] = [];
  afterEach(async () => {
    for (const place of open.splice(0)) await place.drop();
  });
  return async (dialect, sql) => {
    const place = await createPlace(dialect, sql);
    open.push(place);
    return place;
  };
};

export const createPlace = async (dialect: TestDialect, sql?: string): Promise<Place> => {
  const made = await createTestDatabase(dialect, {
    template: await systemTemplate(dialect),
    ...(sql !== undefined && { sql }),
  });
  const services = { database: made.database, tables: {} };
  const diff: Place['diff'] = (snapshot, options = {}) =>
    diffSnapshot(snapshot, { force: false, mode: 'mirror', ...options }, services);
  const apply: Place['apply'] = ({ hash, diff: changes }, { acceptLoss = false } = {}) =>
    applyDifference(
      { hash, diff: JSON.parse(JSON.stringify(changes)), accept_loss: acceptLoss },
      { ...services, user: null },
    );
  return {
    ...made,
    snapshot: () => takeSnapshot(services),
    diff,
    apply,
    async serve() {
      const { database } = made;
      if (database.isEmbedded === true) return;
      const row = { id: randomUUID(), host: 'here', pid: 1, version: '1', generation: 1e9 };
      await beatProcess(database, database, { ...row, state: 'running' });
      await made.execute('update svc_processes set date_seen = date_seen + 86400000');
    },
    async become(snapshot) {
      const difference = await diff(snapshot);
      if (difference !== null) await apply(difference);
    },
  };
};
