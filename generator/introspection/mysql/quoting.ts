/** Quotes identifiers of MySQL and MariaDB. */
export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
