/** Kinds of columns: what a column holds, and what may be asked of it. */
export interface ColumnKind {
  /** In wire form, in the order of the database, no two equal. */
  readonly values: readonly unknown[];
  /** Which comparisons the field knows. */
  readonly compares: 'order' | 'equality' | 'truth' | 'nothing';
  /** True where the order of the values is that of the database. */
  readonly isSorted: boolean;
}

export type ColumnKinds = Readonly<Record<string, ColumnKind>>;

const kindOf =
  (compares: ColumnKind['compares'], isSorted = true) =>
  (...values: readonly unknown[]): ColumnKind => ({ values, compares, isSorted });

export const ordered = kindOf('order');
export const equal = kindOf('equality');
export const truth: ColumnKind = kindOf('truth')(false, true);
/** JSON has no order of its own. */
export const opaque = kindOf('nothing', false);
/** Texts as the database spells values of a type that svc does not know. */
export const spelled = kindOf('nothing', false);

export const base64 = (...bytes: readonly number[]): string => Buffer.from(bytes).toString('base64');

export const words = equal('', 'a', 'b c', "it's", 'zoë "quoted" \\ 日本');
export const bytes = equal('', base64(0), base64(0, 1), base64(255, 254));
export const json = opaque({ a: [1, 'b', null] }, [], 1.5, true);
export const largeText = (length: number): ColumnKind => equal('a', 'ä'.repeat(length));
