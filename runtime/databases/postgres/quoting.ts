/** Quotes names and texts for DDL, which takes no bound values. */

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quoteAll = (names: readonly string[]): string => names.map(quote).join(', ');

export const quoteText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
