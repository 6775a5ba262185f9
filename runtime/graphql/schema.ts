/**
 * The schema that was generated, read when it is first asked for. Administrators use it as it is; for everybody else
 * there is a narrowed view, one for each set of policies, made on first use. Only the last ones are kept.
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
  type DocumentNode,
  type GraphQLSchema,
} from 'graphql';
import type { Principal } from '../access/access.js';
import type { PolicySet } from '../access/policies.js';
import { visibilityOf } from '../access/visibility.js';
import type { Registry } from '../../contract/collection.js';
import { isRounded } from '../plan/values.js';
import { directivesOf } from './directives.js';
import { restrictSchema, printRestricted } from './restrict-schema.js';
import { isInherited } from './variables.js';

/** `/graphql` and `/graphql/system`. */
export type Scope = 'items' | 'system';

export interface View {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  /** Whether GraphQL spells some name differently. */
  readonly respelled: boolean;
  /** Whether an input has a field of a name that every object inherits. */
  readonly inherited: boolean;
  /** Shared by nothing else: what is remembered about the view lives as long as it does. */
  readonly cache: Map<object, unknown>;
}

export interface Views {
  of(scope: Scope, principal: Principal): Promise<View>;
  /** The text of the view, in the schema language. */
  print(scope: Scope, principal: Principal): Promise<string>;
}

export interface ViewsOptions {
  /** Where `items.graphql` and `system.graphql` are. */
  readonly folder: string;
  readonly registry: Registry;
}

/** Types of all narrowed views together; each takes some 6 KB. */
const mostTypes = 6_000;

export const createViews = ({ folder, registry }: ViewsOptions): Views => {
  const documents = new Map<Scope, Promise<DocumentNode>>();
  const views = new Map<string, View>();
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

  const narrow = async (scope: Scope, principal: Principal): Promise<DocumentNode> =>
    restrictSchema(await read(scope), visibilityOf(principal, registry));

  return {
    async of(scope, principal) {
      const { policies, user } = principal;
      const key = `${scope} ${policies.admin ? 'admin' : `${identify(policies)} ${user === null}`}`;
      const present = views.get(key);
      if (present !== undefined) return present;
      const view = toView(await narrow(scope, principal));
      views.set(key, view);
      forget(views);
      return view;
    },
    print: async (scope, principal) => printRestricted(await narrow(scope, principal)),
  };
};

/** A number for each set of policies, kept by nobody. */
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

/** The oldest go; that of administrators and the newest stay. */
const forget = (views: Map<string, View>): void => {
  const narrowed = [...views].filter(([key]) => !key.endsWith(' admin'));
  let types = narrowed.reduce((sum, [, { document }]) => sum + document.definitions.length, 0);
  for (const [key, { document }] of narrowed.slice(0, -1)) {
    if (types <= mostTypes) return;
    views.delete(key);
    types -= document.definitions.length;
  }
};

const toView = (document: DocumentNode): View => {
  const schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  for (const name of exactScalars) readExactly(schema, name);
  return {
    schema,
    document,
    respelled: hasNames(document),
    inherited: hasInherited(document),
    cache: new Map(),
  };
};

/** Numbers keep all of their digits: in documents, and in what operations answer. */
const exactScalars = ['BigInt', 'Decimal', 'GraphQLStringOrFloat'];

const readExactly = (schema: GraphQLSchema, name: string): void => {
  const type = schema.getType(name);
  if (!isScalarType(type)) return;
  type.serialize = String;
  type.parseLiteral = (node, variables) =>
    node.kind === 'IntValue' || node.kind === 'FloatValue'
      ? node.value
      : valueFromASTUntyped(node, variables);
};

const { parseValue: parseId } = GraphQLID;

/** A key that was rounded is that of another row. The library has one such type for all schemas. */
GraphQLID.parseValue = (value) => {
  if (!isRounded(value)) return parseId(value);
  throw new GraphQLError(
    `ID cannot represent ${String(value)}, which JSON may have rounded: send it as text.`,
  );
};

const hasNames = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) => 'fields' in node && (node.fields ?? []).some((field) => directivesOf(field).name !== undefined),
  );

const hasInherited = ({ definitions }: DocumentNode): boolean =>
  definitions.some(
    (node) =>
      node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION &&
      (node.fields ?? []).some(({ name }) => isInherited(name.value)),
  );
