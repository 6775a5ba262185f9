/** Parsers for durations, sizes, numbers, lists and proxies in the environment. */
import { parseNetwork } from '../network/ip.js';
import { normalizeOrigin, type Origins } from '../network/origins.js';

/** Parses the text of a variable. @throws Error that describes the expected format */
export type Parse<Value> = (value: string) => Value;

/** An environment variable. */
export interface Variable {
  readonly parse: Parse<unknown>;
  /** Default as text; `null`: not set, and the value is `null`. */
  readonly default: string | null;
  /** Text that documents show instead of the default. */
  readonly shown?: string;
  readonly meaning: string;
  /** Can be read from the file named in `NAME_FILE`, and is never printed. */
  readonly secret?: true;
}

/** Accepts every text as it is. */
export const parseText: Parse<string> = (value) => value;

const durations: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Parses `500ms`, `30s`, `15m`, `12h`, `7d` to milliseconds; a bare number counts seconds. */
export const parseDuration = (text: string): number => {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text.trim());
  if (found === null) throw new Error('expected a duration such as 500ms, 30s, 15m, 12h or 7d');
  return Math.round(Number(found[1]) * (durations.get(found[2] ?? 's') ?? 1));
};

/** Returns a parser of durations up to a maximum in milliseconds. */
export const parseShortDuration =
  (maximum: number) =>
  (text: string): number => {
    const duration = parseDuration(text);
    if (duration <= maximum) return duration;
    throw new Error(`expected at most ${maximum / 1000}s`);
  };

const sizes: ReadonlyMap<string, number> = new Map([
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 ** 2],
  ['gb', 1024 ** 3],
]);

/** Parses `512kb`, `1mb` to bytes, in steps of 1024; a bare number counts bytes. */
export const parseSize = (text: string): number => {
  const found = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/.exec(text.trim().toLowerCase());
  if (found === null) throw new Error('expected a size such as 512kb or 1mb');
  return Math.floor(Number(found[1]) * (sizes.get(found[2] ?? 'b') ?? 1));
};

/** Returns a parser of integers within inclusive bounds. */
export const parseInteger =
  (minimum: number, maximum = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    const bounds =
      maximum === Number.MAX_SAFE_INTEGER ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
    throw new Error(`expected a whole number, ${bounds}`);
  };

/** Parses a list of networks: `10.0.0.0/8, fd00::/8`. */
export const parseNetworkTexts = (text: string): readonly string[] => {
  const networks = parseList(text);
  const wrong = networks.find((network) => !isNetwork(network));
  if (wrong !== undefined)
    throw new Error(`has "${wrong}"; expected networks such as 10.0.0.0/8 or fd00::/8`);
  return networks;
};

const isNetwork = (text: string): boolean => text.includes('/') && isRange(text);

/** Parses a comma-separated list; trims blanks and drops empty entries. */
export const parseList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Parses a list of URLs: `https://shop.example/reset, http://localhost:3000/reset`. */
export const parseUrls = (text: string): readonly string[] => {
  const urls = parseList(text);
  const wrong = urls.find((url) => !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol));
  if (wrong !== undefined)
    throw new Error(`has "${wrong}"; expected URLs such as https://shop.example/reset`);
  return urls;
};

/** Parses `off`, `true` for every origin, or a list such as `https://shop.example, https://*.shop.example`. */
export const parseOrigins = (text: string): Origins => {
  if (text === 'off' || text === 'false') return [];
  if (text === 'true') return 'all';
  return parseList(text).map((entry) => {
    const origin = normalizeOrigin(entry);
    if (origin !== null) return origin;
    const expected = 'off, true, or origins such as https://shop.example, https://*.shop.example';
    throw new Error(`has "${entry}"; expected ${expected}, http://localhost:*`);
  });
};

/** Parses `off`, the number of proxies in front, or their addresses and CIDR ranges. */
export const parseProxies = (text: string): { readonly hops: number; readonly ranges: readonly string[] } => {
  if (text === 'off' || text === 'false') return { hops: 0, ranges: [] };
  if (/^\d{1,2}$/.test(text)) return { hops: Number(text), ranges: [] };
  const ranges = parseList(text);
  if (ranges.length > 0 && ranges.every(isRange)) return { hops: 0, ranges };
  throw new Error('expected off, a number of proxies, or addresses and ranges such as 10.0.0.1, 10.0.0.0/8');
};

const isRange = (text: string): boolean => parseNetwork(text) !== null;

/** Parses true, 1, on, yes and their opposites, in any case. @throws Error that says what was expected */
export const parseBoolean: Parse<boolean> = (value) => {
  if (/^(true|1|on|yes)$/i.test(value)) return true;
  if (/^(false|0|off|no)$/i.test(value)) return false;
  throw new Error('expected true or false');
};

/** Creates a parser of some values, spelled exactly so. */
export const parseOneOf =
  <const Value extends string>(values: readonly Value[]): Parse<Value> =>
  (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`expected one of ${values.join(', ')}`);
    return found;
  };
