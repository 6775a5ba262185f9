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
  readonly alias?: object | undefined;
  readonly meta?: readonly string[] | undefined;
  readonly after?: string | undefined;
  readonly timezone?: string | undefined;
  readonly backlink?: boolean | undefined;
  readonly aggregate?: object | undefined;
  readonly groupBy?: readonly string[] | undefined;
  readonly having?: object | undefined;
}

/** An untyped query of one item. */
export interface AnyRead extends AnyQuery {
  readonly ifNoneMatch?: string | undefined;
}

/** An untyped query of a write. */
export interface AnyWrite extends AnyQuery {
  readonly dryRun?: boolean | undefined;
  readonly ifMatch?: string | undefined;
  readonly onConflict?: string | undefined;
  readonly conflict?: readonly string[] | undefined;
}

/** Formats the query of a write: its URL parameters, and its own headers. */
export const toWrite = ({
  dryRun,
  ifMatch,
  onConflict,
  conflict,
  ...query
}: AnyWrite): { readonly query: Record<string, string>; readonly headers: Record<string, string> } => ({
  query: {
    ...toParameters(query),
    ...(dryRun !== undefined && { dry_run: String(dryRun) }),
    ...(onConflict !== undefined && { on_conflict: onConflict }),
    ...(conflict !== undefined && { conflict: conflict.map(escapeName).join(',') }),
  },
  headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
});

type AnyField = string | { readonly [relation: string]: readonly AnyField[] | undefined };

/** Formats a query for the body of a SEARCH request. */
export const toBody = ({ fields, ...query }: AnyQuery): AnyQuery => {
  rejectUndefined(query.filter, 'filter');
  rejectUndefined(query.deep, 'deep');
  rejectUndefined(query.having, 'having');
  return {
    ...query,
    ...(fields !== undefined && { fields: fields.flatMap(toPaths).map(escapeName) }),
    ...(query.sort !== undefined && { sort: query.sort.map(escapeName) }),
    ...(query.groupBy !== undefined && { groupBy: query.groupBy.map(escapeName) }),
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
