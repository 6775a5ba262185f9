/** Views and triggers that name what a change drops or renames. Pure. */
import type { ViewOrTrigger } from '../../../generator/introspection/stored-objects.js';

export interface Dependant {
  readonly kind: ViewOrTrigger['kind'];
  readonly name: string;
  /** The field that it names; null for the collection. */
  readonly field: string | null;
  /** True where the database refuses the change because of it; otherwise it fails when it is used. */
  readonly blocks: boolean;
}

/** Names that go away, as the database has them now. */
export interface Gone {
  readonly table: string;
  /** True where the table itself goes, and not only fields of it. */
  readonly whole: boolean;
  readonly fields: readonly string[];
}

const wordsOf = (sql: string): ReadonlySet<string> =>
  // text in quotes of any kind is one word, so that names with blanks are found
  new Set(
    (sql.match(/`[^`]+`|"[^"]+"|[\p{L}\p{N}_$]+/gu) ?? []).map((word) => fold(word.replaceAll(/[`"]/g, ''))),
  );

const fold = (name: string): string => name.toLowerCase();

/**
 * Returns the views and triggers that name what goes away, by the words of their SQL: one too many rather than one too few.
 * @param viewsBlock whether the database refuses to drop what a view names
 */
export const findDependants = (
  viewsAndTriggers: readonly ViewOrTrigger[],
  { table, whole, fields }: Gone,
  { viewsBlock }: { readonly viewsBlock: boolean },
): readonly Dependant[] =>
  viewsAndTriggers.flatMap(({ kind, name, table: own, sql }): Dependant[] => {
    const words = wordsOf(sql);
    // the triggers of a table go with it
    if (whole && own === table) return [];
    if (own !== table && !words.has(fold(table))) return [];
    const blocks = kind === 'view' && viewsBlock;
    if (whole) return [{ kind, name, field: null, blocks }];
    return fields.filter((field) => words.has(fold(field))).map((field) => ({ kind, name, field, blocks }));
  });
