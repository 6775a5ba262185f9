/** Numbers as text, in one form each. */

/** Returns a number without needless digits: `1.50` is `1.5`, `1e3` is `1000`. */
export const normalizeNumber = (text: string): string => {
  if (/e/i.test(text)) return String(Number(text));
  const [whole = '', fraction = ''] = text.split('.');
  const digits = fraction.replace(/0+$/, '');
  const integer = whole.replace(/^(-?)0+(?=\d)/, '$1') || '0';
  return digits === '' ? integer : `${integer}.${digits}`;
};

/** Returns the number with the other sign; of `0` it makes `-0`. */
export const negateNumber = (text: string): string => (text.startsWith('-') ? text.slice(1) : `-${text}`);
