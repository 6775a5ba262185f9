/** Prints names in quotation marks, such as `"title", "state"`; an empty text for none. */
export const quoted = (names: Iterable<string>): string => [...names].map((name) => `"${name}"`).join(', ');
