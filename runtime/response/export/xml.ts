/** Prints XML: an element for each field, repeated for the entries of a list. */

const indent = '    ';

/** Prints an element and what it holds, with line breaks. */
export const printElement = (name: string, value: unknown, depth: number): string => {
  const space = indent.repeat(depth);
  if (Array.isArray(value)) return value.map((entry) => printEntry(name, entry, depth)).join('');
  const tag = toName(name);
  if (typeof value !== 'object' || value === null)
    return `${space}<${tag}>${escapeText(String(value))}</${tag}>\n`;
  const inner = Object.entries(value)
    .map(([key, each]) => printElement(key, each, depth + 1))
    .join('');
  return inner === '' ? `${space}<${tag}/>\n` : `${space}<${tag}>\n${inner}${space}</${tag}>\n`;
};

/** A list inside of a list gets an element of its own. */
const printEntry = (name: string, entry: unknown, depth: number): string =>
  printElement(name, Array.isArray(entry) ? { [name]: entry } : entry, depth);

const nameStart = String.raw`[A-Z_a-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}\u{200C}\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}\u{10000}-\u{EFFFF}]`;
const nameRest = String.raw`[-.0-9\u{B7}\u{300}-\u{36F}\u{203F}\u{2040}]`;
const isStart = new RegExp(`^${nameStart}$`, 'u');
const isRest = new RegExp(`^(?:${nameStart}|${nameRest})$`, 'u');

/** Spells a name with the characters that XML allows; others become `_x0020_`, as in SQL/XML. */
const toName = (name: string): string =>
  name === ''
    ? '_'
    : [...name]
        .map((character, index) =>
          (index === 0 ? isStart : isRest).test(character)
            ? character
            : `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}_`,
        )
        .join('');

/** Characters that XML cannot contain, not even escaped. */
// eslint-disable-next-line no-control-regex -- these are the characters that have to go
const invalid = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Cs}/gu;

const escapeText = (text: string): string =>
  text
    .replaceAll(invalid, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;');
