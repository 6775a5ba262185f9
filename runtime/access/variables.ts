/** Resolves variables such as `$NOW` and `$CURRENT_USER` in filters, rules, validation and presets. */
import { invalidQuery } from '../../contract/errors.js';
import type { Principal } from './principal.js';
import type { AccessRecords, Columns } from './policies.js';

/** Resolves a variable, a list such as `$CURRENT_ROLES` to an array; returns other values as is. @throws INVALID_QUERY */
export const resolveVariable = (value: unknown, principal: Principal, now: Date): unknown => {
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  if (value === '$NOW' || value.startsWith('$NOW(')) return resolveNow(value, now);
  const [variable = '', ...path] = value.split('.');
  const read = variables[variable];
  return read === undefined ? value : read(principal, path);
};

type Path = readonly string[];

const variables: Readonly<Record<string, (principal: Principal, path: Path) => unknown>> = {
  $CURRENT_USER: ({ user, records }, path) => {
    if (path.length === 0) return user?.id ?? null;
    const [name, ...rest] = path;
    if (name === 'role' && rest.length > 0) return roleColumn(user?.role ?? null, rest, records);
    return rest.length > 0 ? null : columnOf(user?.columns, name);
  },
  $CURRENT_ROLE: ({ user, records }, path) =>
    path.length === 0 ? (user?.role ?? null) : roleColumn(user?.role ?? null, path, records),
  $CURRENT_ROLES: ({ roles, records }, path) =>
    path.length === 0 ? roles : roles.map((role) => roleColumn(role, path, records)),
  $CURRENT_POLICIES: ({ policies, records }, path) =>
    path.length === 0
      ? policies.ids
      : policies.ids.map((id) => columnOf(records.policies.get(id), path.join('.'))),
};

/** Returns a column of a role, or with `parent` in the path a column of an ancestor. */
const roleColumn = (role: string | null, [name, ...rest]: Path, records: AccessRecords): unknown => {
  const columns = role === null ? undefined : records.roles.get(role);
  const value = columnOf(columns, name);
  if (rest.length === 0) return value;
  return name === 'parent' && typeof value === 'string' ? roleColumn(value, rest, records) : null;
};

const columnOf = (columns: Columns | undefined, name: string | undefined): unknown =>
  columns !== undefined && name !== undefined && Object.hasOwn(columns, name) ? columns[name] : null;

/** The names of the variables that have paths. */
export const variableNames: readonly string[] = Object.keys(variables);

/** Returns whether a value is a variable that cannot be resolved, such as `$NOW(soon)` or `$CURRENT_USR`. */
export const isUnresolvable = (value: unknown): boolean => {
  if (typeof value !== 'string') return false;
  if (value.startsWith('$CURRENT_')) return !variableNames.includes(value.split('.', 1)[0] ?? '');
  if (!value.startsWith('$NOW(')) return false;
  const moved = moveBy(value, new Date());
  return moved === null || Number.isNaN(moved.getTime());
};

const offsetPattern = /^\$NOW\(\s*([+-]?\d+(?:\.\d+)?)\s*([a-z]*)\s*\)$/i;

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

/** Resolves `$NOW` with an optional offset. @throws INVALID_QUERY for an invalid offset or a time out of range */
const resolveNow = (text: string, now: Date): string => {
  if (text === '$NOW') return now.toISOString();
  const moved = moveBy(text, now);
  if (moved !== null && !Number.isNaN(moved.getTime())) return moved.toISOString();
  throw invalidQuery(`"${text}" is not a valid time; expected a number and a unit, as in $NOW(-1 day)`);
};

const moveBy = (text: string, now: Date): Date | null => {
  const [, number, word = ''] = offsetPattern.exec(text) ?? [];
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
