/** Formats queries for the API: names joined by dots and commas, objects as JSON. */

/** An untyped query of any collection. */
export interface AnyQuery {
  readonly fields?: readonly AnyField[] | undefined;
  readonly filter?: object | undefined;
  readonly search?: string | undefined;
  readonly sort?: readonly string[] | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly page?: number | undefined;
  readonly deep?: object | undefined;
  readonly meta?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly timezone?: string | undefined;
}

type AnyField = string | { readonly [relation: string]: readonly AnyField[] | undefined };

/** Formats a query for the body of a SEARCH request. */
export const toBody = ({ fields, ...query }: AnyQuery): AnyQuery => {
  rejectUndefined(query.filter, 'filter');
  rejectUndefined(query.deep, 'deep');
  return {
    ...query,
    ...(fields !== undefined && { fields: fields.flatMap(toPaths).map(escapeName) }),
    ...(query.sort !== undefined && { sort: query.sort.map(escapeName) }),
  };
};

/** Escapes commas, backslashes and outer white space, which otherwise separate names. */
const escapeName = (name: string): string => name.replaceAll(/[\\,]|^\s|\s$/g, String.raw`\$&`);

/** Formats a query as URL parameters. */
export const toParameters = (query: AnyQuery): Record<string, string> => {
  const given = Object.entries(toBody(query)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
};

/** Converts nested fields to paths: `{ ArtistId: ['Name'] }` to `ArtistId.Name`. */
const toPaths = (field: AnyField): string[] =>
  typeof field === 'string'
    ? [field]
    : Object.entries(field).flatMap(([relation, below = []]) =>
        below.flatMap(toPaths).map((path) => `${relation}.${path}`),
      );

const toText = (value: unknown): string => {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** Rejects undefined values: JSON omits them, and the filter would match more items than intended. */
const rejectUndefined = (value: unknown, path: string): void => {
  if (value === undefined && path.includes('.')) {
    throw new TypeError(`"${path}" is undefined; remove it or give it a value`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) rejectUndefined(inner, `${path}.${key}`);
};
