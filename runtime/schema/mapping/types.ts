/** Column types that all databases share, through which the snapshot of one database is applied to another. */
import type { FieldSchema } from '../snapshot/types.js';

export type NeutralType =
  | { readonly kind: 'boolean' | 'date' | 'year' | 'uuid' }
  /** `holdsMore`: also numbers of 64 bits, whatever the name of the type says. */
  | {
      readonly kind: 'integer';
      readonly bits: IntegerBits;
      readonly signed: boolean;
      readonly holdsMore?: true;
    }
  /** `precision` null: any number of digits. */
  | { readonly kind: 'decimal'; readonly precision: number | null; readonly scale: number | null }
  | { readonly kind: 'float'; readonly bits: 32 | 64 }
  /** `length` in characters; null: any. */
  | { readonly kind: 'string'; readonly length: number | null; readonly fixed: boolean }
  /** `bytes` null: any number. */
  | { readonly kind: 'text' | 'binary'; readonly bytes: number | null }
  | { readonly kind: 'dateTime' | 'timestamp'; readonly fraction: number }
  /** `beyondDay`: also negative ones, and those of more than 24 hours. */
  | { readonly kind: 'time'; readonly fraction: number; readonly beyondDay: boolean }
  /** `asWritten`: keeps the text, with the order of keys and equal ones. */
  | { readonly kind: 'json'; readonly asWritten: boolean }
  | { readonly kind: 'enum' | 'set'; readonly values: readonly string[] }
  /** Arrays, of one dimension or more. */
  | { readonly kind: 'list' }
  /** Values that have a notation as text of at most `length` characters, such as addresses. */
  | { readonly kind: 'notation'; readonly name: string; readonly length: number };

export type IntegerBits = 8 | 16 | 24 | 32 | 64;

/** Properties of a field that its type consists of. */
export type TypeProperties = Pick<FieldSchema, 'data_type'> &
  Partial<
    Pick<
      FieldSchema,
      'max_length' | 'numeric_precision' | 'numeric_scale' | 'datetime_precision' | 'enum_values'
    >
  >;

export interface MappedType extends TypeProperties {
  /** Values that the column does not hold, or does not refuse, as the original does. */
  readonly loss?: string;
  /** Values that a check has to ensure, as the type does not. */
  readonly check?: { readonly values: readonly string[] } | { readonly least: 0 };
}

export interface MappingContext {
  readonly collection: string;
  readonly field: string;
  /** True where the column is part of a key, an index or a relation. */
  readonly isKey: boolean;
  readonly isCounter: boolean;
}

/** Types of a database in a snapshot, and its properties beside them. */
export interface SchemaMapping {
  /** Returns null for a type that other databases have nothing like. */
  toNeutral(type: TypeProperties): NeutralType | null;
  /** Returns null where this database has nothing like the type. */
  fromNeutral(type: NeutralType, context: MappingContext): MappedType | null;
  /** Matches types of servers with the same snapshots that this one lacks. */
  readonly foreignType: RegExp | null;
  /** Matches their collations. */
  readonly foreignCollation: RegExp | null;
  /** Kind of counter of its columns: `auto_increment_kind` of a snapshot. */
  readonly counter: string;
  /** Columns that can count: only the primary key, the first of any key or index, or any. */
  readonly counters: 'primary key' | 'key' | 'any';
  readonly hasComments: boolean;
  /** Matches the characters for which comments and names get question marks; null where they can have all. */
  readonly replacedCharacters: RegExp | null;
  /** True where an update can set the current time. */
  readonly hasOnUpdate: boolean;
  readonly hasVirtualColumns: boolean;
  /** True where the columns of a primary key may be null. */
  readonly hasNullableKeys: boolean;
  /** True where a geometry column refuses values of other systems of coordinates than its own. */
  readonly enforcesSrid: boolean;
  readonly hasInvisibleColumns: boolean;
  /** True where checks can exist without being enforced. */
  readonly hasUnenforcedChecks: boolean;
  readonly hasSetDefault: boolean;
  /** Relations that a transaction can defer: none, only those that are deferred from the beginning, or any. */
  readonly deferrableRelations: 'none' | 'initially deferred' | 'any';
  /** True where a transaction can defer the checks of primary keys and unique constraints. */
  readonly hasDeferrableUniques: boolean;
  readonly indexes: IndexTraits;
  /** True where the names of foreign keys and checks are those of the whole schema. */
  readonly hasSharedConstraintNames: boolean;
}

export interface IndexTraits {
  readonly methods: ReadonlySet<string>;
  readonly predicates: boolean;
  readonly includes: boolean;
  /** True where leading characters can be indexed. */
  readonly prefixes: boolean;
  readonly expressions: boolean;
  /** True where their names are those of the whole schema. */
  readonly sharedNames: boolean;
}
