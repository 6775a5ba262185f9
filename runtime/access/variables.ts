/** `$NOW`, `$CURRENT_USER` and their like, in filters, rules, validation and presets. */
import { invalidQuery } from '../errors.js';
import type { Principal } from './access.js';

/** Replaces a variable; gives anything else back as it is. Lists (`$CURRENT_ROLES`) come as arrays. @throws INVALID_QUERY */
export const resolveVariable = (value: unknown, principal: Principal, now: Date): unknown => {
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  if (value === '$NOW' || value.startsWith('$NOW(')) return resolveNow(value, now);
  if (value === '$CURRENT_USER') return principal.user?.id ?? null;
  if (value.startsWith('$CURRENT_USER.')) return userColumn(principal, value.slice('$CURRENT_USER.'.length));
  if (value === '$CURRENT_ROLE') return principal.user?.role ?? null;
  if (value === '$CURRENT_ROLES') return principal.roles;
  if (value === '$CURRENT_POLICIES') return principal.policies.ids;
  return value;
};

const userColumn = ({ user }: Principal, name: string): unknown =>
  user !== null && Object.hasOwn(user.columns, name) ? user.columns[name] : null;

const offset = /^\$NOW\(\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]*)\s*\)$/i;

const units: ReadonlyMap<string, number> = new Map(
  (
    [
      [['ms', 'millisecond', 'milliseconds'], 1],
      [['s', 'sec', 'second', 'seconds'], 1_000],
      [['m', 'min', 'minute', 'minutes'], 60_000],
      [['h', 'hour', 'hours'], 3_600_000],
      [['', 'd', 'day', 'days'], 86_400_000],
      [['w', 'week', 'weeks'], 604_800_000],
    ] as const
  ).flatMap(([names, size]) => names.map((name): [string, number] => [name, size])),
);

/** @throws INVALID_QUERY for what is no offset, and for moments that no calendar has */
const resolveNow = (text: string, now: Date): string => {
  if (text === '$NOW') return now.toISOString();
  const moved = moveBy(text, now);
  if (moved !== null && !Number.isNaN(moved.getTime())) return moved.toISOString();
  throw invalidQuery(`"${text}" is no moment; a number and a unit are expected, as in $NOW(-1 day)`);
};

const moveBy = (text: string, now: Date): Date | null => {
  const [, number, word = ''] = offset.exec(text) ?? [];
  if (number === undefined) return null;
  const [amount, unit] = [Number(number), word.toLowerCase()];
  const size = units.get(unit);
  if (size !== undefined) return new Date(now.getTime() + amount * size);
  const moved = new Date(now);
  if (/^mo(nths?)?$/.test(unit)) moved.setUTCMonth(moved.getUTCMonth() + amount);
  else if (/^y(ears?)?$/.test(unit)) moved.setUTCFullYear(moved.getUTCFullYear() + amount);
  else return null;
  return moved;
};
