/** Kinds of columns: what a column holds, and what may be asked of it. */
export interface ColumnKind {
  /** In wire form, in the order of the database, no two equal. */
  readonly values: readonly unknown[];
  /** Which comparisons the field knows. */
  readonly compares: 'order' | 'equality' | 'truth' | 'nothing';
  /** First value of a read-only type, as SQL. */
  readonly literal?: string;
}

export type ColumnKinds = Readonly<Record<string, ColumnKind>>;

export const ordered = (...values: readonly unknown[]): ColumnKind => ({ values, compares: 'order' });
export const equal = (...values: readonly unknown[]): ColumnKind => ({ values, compares: 'equality' });
export const truth: ColumnKind = { values: [false, true], compares: 'truth' };
export const opaque = (...values: readonly unknown[]): ColumnKind => ({ values, compares: 'nothing' });
export const readable = (literal: string, value: string): ColumnKind => ({
  values: [value],
  compares: 'nothing',
  literal,
});

export const base64 = (...bytes: readonly number[]): string => Buffer.from(bytes).toString('base64');

export const words = equal('', 'a', 'b c', "it's", 'zoë "quoted" \\ 日本');
export const bytes = equal('', base64(0), base64(0, 1), base64(255, 254));
export const json = opaque({ a: [1, 'b', null] }, [], 1.5, true);
export const largeText = (length: number): ColumnKind => equal('a', 'ä'.repeat(length));
