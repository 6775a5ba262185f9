/** Reads the `svc` directive of a generated schema, which links types and fields to collections and operations. */
import type { ConstDirectiveNode } from 'graphql';

export interface FieldDirectives {
  /** On a type or a root field, and on the field of another type that needs to read the collection as well. */
  readonly collection?: string;
  /** On a type: the permission that its fields need. On a root field: the action it runs; on a list: that it is written. */
  readonly action?: string;
  /** Operation id of the spec. */
  readonly operation?: string;
  /** `user` or `admin`: the minimum level of the caller. */
  readonly access?: string;
  /** Name in the database or the spec, if it differs from the GraphQL name. */
  readonly name?: string;
  /** On a field whose own fields are functions: what they are called with. */
  readonly call?: string;
  /** On the field of an operation: the property of the output that is its value. */
  readonly open?: string;
  /** `body` on an argument that REST has in the body. */
  readonly in?: string;
  /** Type of a relation for callers that can neither read nor update the related collection. */
  readonly otherwise?: string;
  /** The field whose permission is required, if it is another one. */
  readonly requires?: string;
  /** On a field of an item that exists, or stands in place of its key: it belongs to the key, which needs no permission. */
  readonly key?: string;
  /** On the field of an operation that concerns one queue model: its id. */
  readonly model?: string;
}

export const directiveName = 'svc';

interface NodeWithDirectives {
  readonly directives?: readonly ConstDirectiveNode[];
}

const none: FieldDirectives = {};
const cache = new WeakMap<NodeWithDirectives, FieldDirectives>();

/** Returns the directives of a node, read once for each node. */
export const directivesOf = (node: NodeWithDirectives | null | undefined): FieldDirectives => {
  if (node === null || node === undefined) return none;
  const cached = cache.get(node);
  if (cached !== undefined) return cached;
  const directives = readDirectives(node);
  cache.set(node, directives);
  return directives;
};

const readDirectives = ({ directives = [] }: NodeWithDirectives): FieldDirectives => {
  const directive = directives.find(({ name }) => name.value === directiveName);
  if (directive === undefined) return none;
  return Object.fromEntries(
    (directive.arguments ?? []).flatMap(({ name, value }) =>
      value.kind === 'StringValue' ? [[name.value, value.value]] : [],
    ),
  );
};
