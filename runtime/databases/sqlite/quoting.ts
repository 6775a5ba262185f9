/** Quotes names and texts for DDL, which takes no bound values. */

/** Quotes an identifier. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes names and separates them by commas. */
export const quoteAll = (names: readonly string[]): string => names.map(quote).join(', ');

/** Quotes a text, in which a backslash is a plain character. */
export const quoteText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
