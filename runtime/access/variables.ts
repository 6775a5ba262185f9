/** `$NOW`, `$CURRENT_USER` and their like, in filters, rules, validation and presets. */
import type { Principal } from './access.js';

/** Replaces a variable; gives anything else back as it is. Lists (`$CURRENT_ROLES`) come as arrays. */
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

const resolveNow = (text: string, now: Date): string => {
  const match = offset.exec(text);
  if (match === null) return now.toISOString();
  const amount = Number(match[1]);
  const unit = (match[2] ?? '').toLowerCase();
  const size = units.get(unit);
  if (size !== undefined) return new Date(now.getTime() + amount * size).toISOString();
  const moved = new Date(now);
  if (/^mo(nths?)?$/.test(unit)) moved.setUTCMonth(moved.getUTCMonth() + amount);
  else if (/^(y|years?)$/.test(unit)) moved.setUTCFullYear(moved.getUTCFullYear() + amount);
  return moved.toISOString();
};
