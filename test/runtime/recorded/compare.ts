/** Compares a response with the recorded one. Placeholders stand for values that differ from run to run. */

import { Secret, TOTP } from 'otpauth';

/** Values that placeholders with a number stand for: `<int:1>`. */
export type Bindings = Map<string, unknown>;

/** Differences, one sentence each; none: equal. */
export const compareValues = (expected: unknown, actual: unknown, bindings: Bindings): readonly string[] =>
  isErrors(expected) && isErrors(actual)
    ? [
        ...(expected.data === undefined
          ? []
          : compareAt('data', expected.data, { actual: actual.data, bindings })),
        ...compareErrors(expected.errors, actual.errors, bindings),
      ]
    : compareAt('', expected, { actual, bindings });

interface Errors {
  /** Partial data of a GraphQL response with errors. */
  readonly data?: unknown;
  readonly errors: readonly ErrorEntry[];
}

interface ErrorEntry {
  readonly message?: string;
  readonly locations?: unknown;
  readonly path?: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
}

const isErrors = (value: unknown): value is Errors => isObject(value) && Array.isArray(value.errors);

/** As sets: how often an entry is there does not count. */
const compareErrors = (
  expected: readonly ErrorEntry[],
  actual: readonly ErrorEntry[],
  bindings: Bindings,
): readonly string[] => {
  const fits = (entry: ErrorEntry, candidate: ErrorEntry): boolean =>
    compareExtensions(entry, candidate, bindings).length === 0;
  const missing = expected.filter((entry) => !actual.some((candidate) => fits(entry, candidate)));
  const further = actual.filter((candidate) => !expected.some((entry) => fits(entry, candidate)));
  return [
    ...missing.map((entry) => `no error fits ${JSON.stringify(entry.extensions)}`),
    ...further.map((entry) => `unexpected error ${JSON.stringify(entry)}`),
    ...actual.filter(({ message }) => !message).map(() => 'an error without message'),
  ];
};

/** Further keys may be there; the path of an unknown route is not compared, and what is wrong with a document is a set. */
const compareExtensions = (
  expected: ErrorEntry,
  actual: ErrorEntry,
  bindings: Bindings,
): readonly string[] => [
  ...comparePlaces(expected, actual, bindings),
  ...Object.entries(expected.extensions)
    .filter(([key]) => !(key === 'path' && expected.extensions.code === 'ROUTE_NOT_FOUND'))
    .flatMap(([key, value]) =>
      key === 'errors'
        ? compareProblems(value, actual.extensions[key])
        : compareAt(key, value, { actual: actual.extensions[key], bindings }),
    ),
];

const comparePlaces = (expected: ErrorEntry, actual: ErrorEntry, bindings: Bindings): readonly string[] =>
  (['locations', 'path'] as const).flatMap((key) =>
    expected[key] === undefined ? [] : compareAt(key, expected[key], { actual: actual[key], bindings }),
  );

/** The position of an error in a document; the wording is free. */
const compareProblems = (expected: unknown, actual: unknown): readonly string[] => {
  const [wanted, found] = [placesOf(expected), placesOf(actual)];
  return wanted === found ? [] : [differs('errors', wanted, found)];
};

const placesOf = (problems: unknown): string =>
  [...new Set((problems as readonly ErrorEntry[]).map(({ locations }) => JSON.stringify(locations)))]
    .sort()
    .join(' ');

interface Compared {
  readonly actual: unknown;
  readonly bindings: Bindings;
}

const compareAt = (path: string, expected: unknown, { actual, bindings }: Compared): readonly string[] => {
  if (typeof expected === 'string' && placeholder.test(expected))
    return comparePlaceholder(path, expected, { actual, bindings });
  if (Array.isArray(expected)) return compareLists(path, expected, { actual, bindings });
  if (isObject(expected)) return compareObjects(path, expected, { actual, bindings });
  return isSame(expected, actual) ? [] : [differs(path, expected, actual)];
};

const compareLists = (
  path: string,
  expected: readonly unknown[],
  { actual, bindings }: Compared,
): readonly string[] => {
  if (!Array.isArray(actual) || actual.length !== expected.length) return [differs(path, expected, actual)];
  return expected.flatMap((entry, index) =>
    compareAt(`${path}[${index}]`, entry, { actual: actual[index], bindings }),
  );
};

const compareObjects = (
  path: string,
  expected: Readonly<Record<string, unknown>>,
  { actual, bindings }: Compared,
): readonly string[] => {
  if (!isObject(actual)) return [differs(path, expected, actual)];
  return [
    ...Object.entries(expected).flatMap(([key, value]) =>
      compareAt(`${path}.${key}`, value, { actual: actual[key], bindings }),
    ),
    ...Object.keys(actual)
      .filter((key) => !(key in expected))
      .map((key) => `${path}.${key} is one too many`),
  ];
};

const placeholder = /^<(\w+)(?::(\w+))?>$/;

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(value)),
  jwt: (value) => typeof value === 'string' && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value),
  token: (value) => typeof value === 'string' && value.length >= 43,
  hash: (value) => typeof value === 'string' && value !== '',
  int: (value) => typeof value === 'number' && value > 100_000,
  id: (value) => Number(value) > 100_000,
  text: (value) => typeof value === 'string' && value !== '',
  timestamp: (value) => Math.abs(Date.parse(String(value)) - Date.now()) < 60_000,
  secret: (value) => /^[A-Z2-7]{32}$/.test(String(value)),
  otpauth: (value) => String(value).startsWith('otpauth://totp/'),
  date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value)),
};

const comparePlaceholder = (
  path: string,
  expected: string,
  { actual, bindings }: Compared,
): readonly string[] => {
  const [, kind = '', name] = placeholder.exec(expected) ?? [];
  const bound = name === undefined ? undefined : bindings.get(bindingOf(kind, name));
  if (bound !== undefined) return String(bound) === String(actual) ? [] : [differs(path, bound, actual)];
  const fits = kinds[kind];
  if (fits === undefined) throw new Error(`${expected} stands for nothing`);
  if (!fits(actual)) return [differs(path, expected, actual)];
  if (name !== undefined) bindings.set(bindingOf(kind, name), actual);
  return [];
};

/** A counted key and its text are one. */
const bindingOf = (kind: string, name: string): string => `${kind === 'id' ? 'int' : kind}:${name}`;

/** `.000` after the second says nothing. */
const isSame = (expected: unknown, actual: unknown): boolean =>
  withoutZeros(expected) === withoutZeros(actual);

const withoutZeros = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.0+Z$/, '$1Z') : value;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const differs = (path: string, expected: unknown, actual: unknown): string =>
  `${path === '' ? 'the answer' : path} is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`;

/** Puts bound values into a request. */
export const fillIn = <Value>(value: Value, bindings: Bindings): Value => {
  const text = JSON.stringify(value);
  if (text === undefined || !text.includes('<')) return value;
  return JSON.parse(
    text
      .replaceAll(/"<int:(\w+)>"/g, (_, name: string) => JSON.stringify(bindings.get(bindingOf('int', name))))
      .replaceAll(/<otp:(\w+)>/g, (_, name: string) =>
        codeOf(String(bindings.get(bindingOf('secret', name)))),
      )
      .replaceAll(/<(id|int|uuid|hash|jwt|token|secret):(\w+)>/g, (_, kind: string, name: string) =>
        String(bindings.get(bindingOf(kind, name))),
      ),
  ) as Value;
};

const codeOf = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate();
