/** Prints a number with its noun, such as `1 file` and `2 files`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
