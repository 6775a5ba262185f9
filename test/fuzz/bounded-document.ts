/** Bounds the recursion of an OpenAPI document, so that a fuzzer generates requests in time that does not grow with the relations. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = Readonly<Record<string, Json>>;

const prefix = '#/components/schemas/';

/** The only item, filter or query of a collection that a request has below the last relation. */
const nothing = { type: 'object', maxProperties: 0 };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isJsonParameter = ({ in: place, schema }: JsonObject): boolean =>
  place === 'query' && isObject(schema) && 'contentSchema' in schema;

/** Describes a parameter that is JSON by its `content`, from which a fuzzer makes JSON, instead of any text. */
const withContent = ({ schema, ...parameter }: JsonObject): JsonObject => {
  const { contentSchema = {} } = schema as JsonObject;
  return { ...parameter, content: { 'application/json': { schema: contentSchema } } };
};

/**
 * Returns a document that describes fewer requests and the same answers: items and filters are nested at most `depth`
 * relations deep. Every request it describes is one that `document` describes.
 */
export const boundRequests = (document: JsonObject, depth: number): JsonObject => {
  const { schemas, ...components } = document.components as Record<string, JsonObject>;
  const bounded: Record<string, Json> = {};

  const bound = (value: Json, left: number): Json => {
    if (Array.isArray(value)) return value.map((each: Json) => bound(each, left));
    if (!isObject(value)) return value;
    if (typeof value.$ref === 'string' && value.$ref.startsWith(prefix))
      return refer(value.$ref.slice(prefix.length), left);
    if (isJsonParameter(value)) return bound(withContent(value), left);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, bound(each, left)]));
  };

  const refer = (name: string, left: number): Json => {
    const schema = schemas?.[name];
    const after = isObject(schema) && 'x-svc-collection' in schema ? left - 1 : left;
    if (schema === undefined || after < 0) return nothing;
    const copy = `${name}_${after}`;
    if (!(copy in bounded)) {
      bounded[copy] = null;
      bounded[copy] = bound(schema, after);
    }
    return { $ref: prefix + copy };
  };

  const boundOperation = (operation: Json): Json => {
    if (!isObject(operation)) return operation;
    const { responses, ...request } = operation;
    return { ...(bound(request, depth + 1) as JsonObject), ...(responses !== undefined && { responses }) };
  };

  const paths = Object.fromEntries(
    Object.entries(document.paths as Record<string, JsonObject>).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([key, each]) => [
          key,
          key === 'parameters' ? bound(each, depth + 1) : boundOperation(each),
        ]),
      ),
    ]),
  );
  const parameters = bound(components.parameters ?? {}, depth + 1);
  return {
    ...document,
    paths,
    components: { ...components, parameters, schemas: { ...schemas, ...bounded } },
  };
};
