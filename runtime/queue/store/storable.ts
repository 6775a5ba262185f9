/** Replaces the null character in a text of a model, since not every database can store it. */
export const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');
