/** Queries as the API reads them: names joined by dots and commas, objects as JSON. */

/** A query of any collection, its types forgotten. */
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
}

type AnyField = string | { readonly [relation: string]: readonly AnyField[] | undefined };

/** The query as the body of a SEARCH holds it. */
export const toBody = ({ fields, ...query }: AnyQuery): AnyQuery => {
  refuseUndefined(query.filter, 'filter');
  refuseUndefined(query.deep, 'deep');
  return {
    ...query,
    ...(fields !== undefined && { fields: fields.flatMap(toPaths).map(escapeName) }),
    ...(query.sort !== undefined && { sort: query.sort.map(escapeName) }),
  };
};

/** A comma ends a name and blanks around it do not count, but for those with a backslash in front. */
const escapeName = (name: string): string => name.replaceAll(/[\\,]|^\s|\s$/g, String.raw`\$&`);

/** The query as parameters of a URL. */
export const toParameters = (query: AnyQuery): Record<string, string> => {
  const given = Object.entries(toBody(query)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
};

/** `{ ArtistId: ['Name'] }` is `ArtistId.Name`. */
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

/** JSON leaves out what is undefined, and the filter would let more through than was meant. */
const refuseUndefined = (value: unknown, path: string): void => {
  if (value === undefined && path.includes('.')) {
    throw new TypeError(`"${path}" is undefined; leave it out, or give a value`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) refuseUndefined(inner, `${path}.${key}`);
};
