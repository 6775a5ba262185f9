/** Fields whose meta says `hash` are stored as argon2id hashes. */
import type { Collection } from '../../contract/collection.js';
import { hashPassword } from '../auth/passwords/hash.js';
import type { WriteRow } from '../plan/write.js';

interface Hashable {
  readonly collection: Collection;
  readonly rows?: readonly WriteRow[];
  readonly row?: WriteRow;
}

/** Replaces the values of such fields. */
export const hashRows = async <Plan extends Hashable>(plan: Plan): Promise<Plan> => {
  const names = plan.collection.hashed.map((field) => field.name);
  if (names.length === 0) return plan;
  if (plan.row !== undefined) return { ...plan, row: await hashRow(plan.row, names) };
  return { ...plan, rows: await Promise.all((plan.rows ?? []).map((row) => hashRow(row, names))) };
};

const hashRow = async (row: WriteRow, names: readonly string[]): Promise<WriteRow> => {
  const hashed = new Map(row);
  for (const name of names) {
    const value = row.get(name) ?? null;
    if (value === null) continue;
    hashed.set(name, await hashPassword(String(value)));
  }
  return hashed;
};
