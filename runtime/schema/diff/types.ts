/** The difference of two snapshots, as it is shown and applied. */

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

export interface SchemaDiff {
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

/** Returns whether nothing changes. */
export const isEmptyDiff = ({ collections, fields, relations }: SchemaDiff): boolean =>
  collections.length + fields.length + relations.length === 0;
