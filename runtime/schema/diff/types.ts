/** The difference of two snapshots, as it is shown and applied. */

import { accessLists, type AccessList } from '../access-rows/types.js';

/** A change of one value: `N` new, `D` deleted, `E` edited, `A` in a list. Without a path, of the whole entry. */
export type Change =
  | { readonly kind: 'N'; readonly path?: Path; readonly rhs: unknown }
  | { readonly kind: 'D'; readonly path?: Path; readonly lhs: unknown }
  | { readonly kind: 'E'; readonly path: Path; readonly lhs: unknown; readonly rhs: unknown }
  | { readonly kind: 'A'; readonly path: Path; readonly index: number; readonly item: ItemChange };

export type ItemChange =
  | { readonly kind: 'N'; readonly rhs: unknown }
  | { readonly kind: 'D'; readonly lhs: unknown };

export type Path = readonly (string | number)[];

/** Changes of roles, policies and permissions, by the names of the lists. */
export type AccessDiff = Readonly<Record<AccessList, readonly AccessChange[]>>;

export interface AccessChange {
  readonly id: string;
  readonly diff: readonly Change[];
}

/** Lists of roles, policies and permissions are there where the snapshot has them. */
export interface SchemaDiff extends Partial<AccessDiff> {
  readonly collections: readonly CollectionChange[];
  readonly fields: readonly FieldChange[];
  readonly systemFields: readonly never[];
  readonly relations: readonly RelationChange[];
}

export interface CollectionChange {
  readonly collection: string;
  readonly diff: readonly Change[];
}

export interface FieldChange {
  readonly collection: string;
  readonly field: string;
  readonly diff: readonly Change[];
}

export interface RelationChange {
  readonly collection: string;
  readonly field: string;
  readonly related_collection: string | null;
  readonly diff: readonly Change[];
}

/** Returns whether a diff is about roles, policies and permissions too. */
export const hasAccess = (diff: Partial<AccessDiff>): boolean =>
  accessLists.some((list) => diff[list] !== undefined);

/** Returns whether nothing changes. */
export const isEmptyDiff = (diff: SchemaDiff): boolean =>
  [diff.collections, diff.fields, diff.relations, ...accessLists.map((list) => diff[list] ?? [])].every(
    ({ length }) => length === 0,
  );

/** Returns whether changes drop the whole entry. */
export const isDropped = (changes: readonly Change[]): boolean =>
  changes.some(({ kind, path }) => kind === 'D' && path === undefined);
