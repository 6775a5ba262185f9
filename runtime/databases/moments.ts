/** Literal dates and times in the one spelling in which servers print them. Pure. */

/** Which parts a type has. */
export type MomentKind = 'date' | 'dateTime' | 'time';

const pattern =
  /^(?:(\d{4})-(\d{1,2})-(\d{1,2}))?(?:(?:^|[T ])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Returns `2024-01-01 10:00:00` for `2024-01-01T10:00Z`; any other text as it is. Times with a zone become those of UTC.
 * @param digits after the second; null for as many as there are without zeros at the end
 */
export const normalizeMoment = (text: string, kind: MomentKind, digits: number | null): string => {
  const found = pattern.exec(text);
  if (found === null || text === '') return text;
  const [, year, month = '', day = '', hours = '0', minutes = '00', seconds = '00', rest = '', zone] = found;
  const isDated = year !== undefined;
  if (isDated !== (kind !== 'time')) return text;
  const date = `${year}-${two(month)}-${two(day)}`;
  const time = `${two(hours)}:${minutes}:${seconds}`;
  const exact = rest.replace(/0+$/, '');
  if (kind === 'date') return zone === undefined && exact === '' && time === '00:00:00' ? date : text;
  if (digits !== null && exact.length > digits) return text;
  const fraction = exact.padEnd(digits ?? 0, '0');
  const whole = isDated ? toUtc(date, time, zone) : zone === undefined ? time : null;
  return whole === null ? text : `${whole}${fraction === '' ? '' : `.${fraction}`}`;
};

const two = (digits: string): string => digits.padStart(2, '0');

const toUtc = (date: string, time: string, zone: string | undefined): string | null => {
  if (zone === undefined) return `${date} ${time}`;
  const offset = zone.length === 3 ? `${zone}:00` : zone.replace(/(\d{2})(\d{2})$/, '$1:$2');
  const at = new Date(`${date}T${time}${offset}`);
  return Number.isNaN(at.getTime()) ? null : at.toISOString().slice(0, 19).replace('T', ' ');
};
