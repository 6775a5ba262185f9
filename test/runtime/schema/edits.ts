/** Edits of snapshots. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FieldEntry, FieldSchema, Snapshot } from '../../../runtime/schema/snapshot/types.js';
import type { TestDialect } from '../../databases.js';

/** Statements of a small schema with rows. */
export const tinyScript = (dialect: TestDialect): string =>
  readFileSync(
    fileURLToPath(
      new URL(`../../data/recorded/tiny.${dialect === 'mariadb' ? 'mysql' : dialect}.sql`, import.meta.url),
    ),
    'utf8',
  );

export type Edit = (snapshot: MutableSnapshot) => void;

export interface MutableSnapshot {
  collections: {
    collection: string;
    meta: Record<string, unknown> | null;
    schema: Record<string, unknown> | null;
  }[];
  fields: (Omit<FieldEntry, 'meta' | 'schema'> & {
    meta: Record<string, unknown> | null;
    schema: Record<string, unknown>;
  })[];
  relations: { collection: string; field: string; schema: Record<string, unknown> | null }[];
}

export const edited = (snapshot: Snapshot, edit: Edit): Snapshot => {
  const copy = structuredClone(snapshot) as unknown as MutableSnapshot;
  edit(copy);
  return copy as unknown as Snapshot;
};

export const field = (
  snapshot: MutableSnapshot,
  collection: string,
  name: string,
): MutableSnapshot['fields'][number] => {
  const found = snapshot.fields.find((entry) => entry.collection === collection && entry.field === name);
  if (found === undefined) throw new Error(`no field ${collection}.${name}`);
  return found;
};

export const copyField = (
  from: MutableSnapshot['fields'][number],
  name: string,
  schema: Partial<FieldSchema>,
): MutableSnapshot['fields'][number] => ({
  ...structuredClone(from),
  field: name,
  schema: { ...structuredClone(from.schema), name, is_unique: false, ...schema },
});
