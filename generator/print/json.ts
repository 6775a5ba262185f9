/** Prints JSON, with the text of parts that have not changed taken from before. */

/** The text of objects, without the indentation of their first line, and the level that it is indented for. */
const known = new WeakMap<object, { readonly level: number; readonly text: string }>();

/**
 * Returns the same text as `JSON.stringify(value, null, 2)`.
 * @param depth number of levels of objects that are printed anew; what is below them is expected not to change
 */
export const printJson = (value: unknown, depth: number): string => print(value, depth, 0);

const print = (value: unknown, depth: number, level: number): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (depth === 0 || Array.isArray(value)) return printKnown(value, level);
  const margin = '  '.repeat(level);
  // additions, unlike `join`, copy the text of a large document once, when it is written
  let members = '';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const separator = members === '' ? '' : ',\n';
    members += `${separator}${margin}  ${JSON.stringify(key)}: ${print(member, depth - 1, level + 1)}`;
  }
  return members === '' ? '{}' : `{\n${members}\n${margin}}`;
};

const printKnown = (value: object, level: number): string => {
  const present = known.get(value);
  if (present?.level === level) return present.text;
  const text = printAt(value, level);
  known.set(value, { level, text });
  return text;
};

/** Has arrays around the value indent it. */
const printAt = (value: object, level: number): string => {
  let nested: unknown = value;
  for (let count = 0; count < level; count += 1) nested = [nested];
  // for each array: a bracket, a line break, the indentation of the next level
  const around = level * 2 + level * (level + 1);
  const text = JSON.stringify(nested, null, 2);
  return text.slice(around, text.length - around + 2 * level);
};
