/** Renames what permissions name. */
import { findRows, updateRows, type Statements, type SystemRow } from '../../execute/system-rows.js';
import { createPathRenamer, type PathRenamer } from '../diff/rename-paths.js';
import type { Renames } from '../diff/renames.js';
import type { RelationEntry } from '../snapshot/types.js';

type Permission = SystemRow<'svc_permissions'>;

/**
 * Renames collections and fields in permissions, with their filters, validations and presets.
 * @param relations with their new names
 */
export const renameInRules = async (
  statements: Statements,
  renames: Renames,
  relations: readonly RelationEntry[],
): Promise<void> => {
  if (renames.collections.size + renames.fields.size === 0) return;
  const tables = new Map([...renames.collections].map(([to, from]) => [from, to]));
  const renamer = createPathRenamer(relations, renames);
  for (const row of await findRows(statements, 'svc_permissions', {})) {
    const collection = tables.get(row.collection) ?? row.collection;
    const renamed = { collection, ...renameRule(row, collection, renamer) };
    const changed = Object.entries(renamed).filter(([key, value]) => value !== row[key as keyof Permission]);
    if (changed.length === 0) continue;
    await updateRows(statements, 'svc_permissions', {
      set: Object.fromEntries(changed),
      where: { id: row.id },
    });
  }
};

const renameRule = (
  row: Permission,
  collection: string,
  { keys, path }: PathRenamer,
): Pick<Permission, 'fields' | 'permissions' | 'validation' | 'presets'> => {
  const renameKeys = (value: unknown): unknown => keys(value, collection);
  const fields = row.fields?.split(',').map((name) => path(name, collection));
  return {
    fields: fields?.join(',') ?? null,
    permissions: inJson(row.permissions, renameKeys),
    validation: inJson(row.validation, renameKeys),
    presets: inJson(row.presets, renameKeys),
  };
};

/** Returns the text itself where nothing in it changes, as databases print JSON in their own way. */
const inJson = (text: string | null, rename: (value: unknown) => unknown): string | null => {
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  const renamed = JSON.stringify(rename(value));
  return renamed === JSON.stringify(value) ? text : renamed;
};
