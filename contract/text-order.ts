/** The order of texts in everything that is generated or compared, on every machine and in every locale. */

/** Compares texts by code units. @returns a negative number, 0 or a positive number, as `sort` takes it */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
