/** What differs between databases once a plan is decided. Everything else in `sql` is the same for all. */
import type { Field } from '../collection.js';
import type { Scalar } from '../plan/values.js';

export type DialectName = 'mariadb' | 'mysql' | 'postgres' | 'sqlite';

/** What drivers accept as a bound value. */
export type BindValue = string | number | bigint | Buffer | null;

export type Match = 'contains' | 'icontains' | 'startsWith' | 'istartsWith' | 'endsWith' | 'iendsWith';

export interface SqlDialect {
  readonly name: DialectName;
  /** `INSERT … RETURNING` exists. */
  readonly returning: boolean;
  /** What an insert of no column at all says after the table's name. */
  readonly emptyRow: string;
  /** What a select ends in whose rows nobody else may change until the transaction ends; empty where writers take turns. */
  readonly rowLock: string;
  quote(name: string): string;
  /** Placeholder for a value compared with, or stored in, the field. */
  placeholder(field: Field): string;
  bind(field: Field, value: Scalar): BindValue;
  /** What stands before the column, between it and the pattern, and after. */
  match(kind: Match): readonly [string, string, string];
  /** The pattern that `match` expects; what the client wrote is plain text. */
  pattern(kind: Match, text: string): string;
}
