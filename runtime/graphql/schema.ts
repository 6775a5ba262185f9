/**
 * Loads the generated schema on first use and caches a view per set of policies: the whole schema for administrators, a
 * restricted one for others. The restricted views that were used least recently are evicted.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  buildASTSchema,
  GraphQLError,
  GraphQLID,
  isScalarType,
  Kind,
  parse,
  valueFromASTUntyped,
  visit,
  type DocumentNode,
  type FloatValueNode,
  type GraphQLSchema,
  type IntValueNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Principal } from '../access/principal.js';
import type { PolicySet } from '../access/policies.js';
import { visibilityOf } from '../access/visibility.js';
import type { Registry } from '../../contract/collection.js';
import { isUnsafeInteger } from '../plan/number-values.js';
import { restrictSchema, printRestricted } from './restrict-schema.js';
import { isInherited } from './variables.js';

/** `items` is served at `/graphql`, `system` at `/graphql/system`. */
export type Scope = 'items' | 'system';

export interface View {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** True where an input type has a field whose name every object inherits, such as `constructor`. */
  readonly hasInheritedNames: boolean;
  /** Data that belongs to this view, by the object that stores it. */
  readonly cache: Map<object, unknown>;
}

export interface Views {
  of(scope: Scope, principal: Principal): Promise<View>;
  /** Prints the view in the schema definition language. */
  print(scope: Scope, principal: Principal): Promise<string>;
}

export interface ViewsOptions {
  /** Folder with `items.graphql` and `system.graphql`. */
  readonly folder: string;
  readonly registry: Registry;
}

/** Maximum number of types in all restricted views; a type takes about 6 kB. */
const maxTypes = 6_000;

/** Creates the views of one build. Nothing is read before the first of them. */
export const createViews = ({ folder, registry }: ViewsOptions): Views => {
  const documents = new Map<Scope, Promise<DocumentNode>>();
  const whole = new Map<Scope, View>();
  const restricted = createRestrictedViews();
  const identify = createIdentifier();

  const read = (scope: Scope): Promise<DocumentNode> => {
    const present = documents.get(scope);
    if (present !== undefined) return present;
    const reading = readFile(join(folder, `${scope}.graphql`), 'utf8').then((text) =>
      parse(text, { noLocation: true }),
    );
    reading.catch(() => documents.delete(scope));
    documents.set(scope, reading);
    return reading;
  };

  const restrict = async (scope: Scope, principal: Principal): Promise<DocumentNode> =>
    restrictSchema(await read(scope), visibilityOf(principal, registry));

  return {
    async of(scope, principal) {
      const { policies, user } = principal;
      const key = `${scope} ${identify(policies)} ${user === null}`;
      const present = policies.admin ? whole.get(scope) : restricted.get(key);
      if (present !== undefined) return present;
      const view = toView(await restrict(scope, principal));
      if (policies.admin) whole.set(scope, view);
      else restricted.set(key, view);
      return view;
    },
    print: async (scope, principal) => printRestricted(await restrict(scope, principal)),
  };
};

/** Creates a function that numbers sets of policies without keeping them in memory. */
const createIdentifier = (): ((policies: PolicySet) => number) => {
  const numbers = new WeakMap<PolicySet, number>();
  let last = 0;
  return (policies) => {
    const present = numbers.get(policies);
    if (present !== undefined) return present;
    last += 1;
    numbers.set(policies, last);
    return last;
  };
};

/** Creates the cache of restricted views; one that exceeds the limit by itself stays until there is another. */
const createRestrictedViews = (): LRUCache<string, View> =>
  new LRUCache({
    maxSize: maxTypes,
    sizeCalculation: ({ document }) => Math.min(document.definitions.length, maxTypes),
  });

const toView = (document: DocumentNode): View => {
  const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  for (const name of exactScalars) keepDigits(schema, name);
  keepExact(schema);
  return {
    schema,
    document,
    hasInheritedNames: hasInheritedNames(document),
    cache: new Map(),
  };
};

/** Scalars whose numbers keep all digits, in documents and in results of operations. */
const exactScalars = ['BigInt', 'Decimal', 'GraphQLStringOrFloat'];

const keepDigits = (schema: GraphQLSchema, name: string): void => {
  const type = schema.getType(name);
  if (!isScalarType(type)) return;
  type.serialize = String;
  type.parseLiteral = (node, variables) =>
    node.kind === 'IntValue' || node.kind === 'FloatValue'
      ? node.value
      : valueFromASTUntyped(node, variables);
};

/** Rejects numbers in literals of JSON that would be stored or compared with other digits, or as null. */
const keepExact = (schema: GraphQLSchema): void => {
  const type = schema.getType('JSON');
  if (!isScalarType(type)) return;
  type.parseLiteral = (node, variables) => {
    visit(node, { IntValue: requireExact, FloatValue: requireExact });
    return valueFromASTUntyped(node, variables);
  };
};

const requireExact = (node: IntValueNode | FloatValueNode): void => {
  const { kind, value } = node;
  const number = Number(value);
  if (Number.isFinite(number) && (kind === Kind.FLOAT || BigInt(value) === BigInt(number))) return;
  throw new GraphQLError(
    `JSON cannot represent ${value}, which a number of JSON rounds: send it, or the whole JSON of a column, as text.`,
    { nodes: node },
  );
};

const { parseValue: parseId } = GraphQLID;

/** Rejects rounded numbers as keys: they can be the key of another row. `GraphQLID` is shared by all schemas. */
GraphQLID.parseValue = (value) => {
  if (!isUnsafeInteger(value)) return parseId(value);
  throw new GraphQLError(
    `ID cannot represent ${String(value)}, which JSON may have rounded: send it as text.`,
  );
};

const hasInheritedNames = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION &&
      (node.fields ?? []).some(({ name }) => isInherited(name.value)),
  );
