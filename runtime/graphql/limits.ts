/** Limits the cost of a document, before it is validated and compiled. */
import {
  getNamedType,
  isLeafType,
  isObjectType,
  isUnionType,
  Kind,
  print,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type ObjectFieldNode,
  type SelectionSetNode,
} from 'graphql';
import { invalidDocument } from './errors.js';
import { collectFields, type FieldsContext } from './fields.js';

/** Maximum depth of brackets; the parser and the validator are recursive. */
const maxBrackets = 200;
const maxDefinitions = 200;
const maxAliases = 100;
const maxDirectives = 100;
/** Maximum depth of an operation, with fragments expanded. */
const maxDepth = 40;
/** Maximum number of fields of all operations, with fragments expanded. */
const maxFields = 2_000;

/** Matches brackets, and the strings and comments that may contain brackets. */
const bracketPattern = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#.*|[{[(]|[}\])]/g;

/** Checks the depth of brackets before the text is parsed. @throws GRAPHQL_VALIDATION */
export const checkNesting = (text: string): void => {
  let depth = 0;
  for (const [found] of text.matchAll(bracketPattern)) {
    if ('{[('.includes(found)) depth += 1;
    else if ('}])'.includes(found)) depth -= 1;
    if (depth > maxBrackets) throw limitExceeded(`is nested deeper than ${maxBrackets} brackets`);
  }
};

/** Checks the number of definitions, aliases and directives. @throws GRAPHQL_VALIDATION */
export const checkCounts = (document: DocumentNode): void => {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    Field: ({ alias }) => {
      if (alias !== undefined) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
  });
  if (document.definitions.length > maxDefinitions) {
    throw limitExceeded(`has more than ${maxDefinitions} operations and fragments`);
  }
  if (aliases > maxAliases) throw limitExceeded(`has more than ${maxAliases} aliases`);
  if (directives > maxDirectives) throw limitExceeded(`has more than ${maxDirectives} directives`);
};

/**
 * Checks the depth, the number of fields, and that fields with one response key are identical, in a document that is
 * otherwise valid.
 * @throws GRAPHQL_VALIDATION
 */
export const checkSelections = (document: DocumentNode, schema: GraphQLSchema): void => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const counter = { fields: 0 };
  const context: FieldsContext = { schema, fragments, variables: null, onDuplicate: requireIdentical };
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const level = { depth: 1, type: schema.getRootType(node.operation) };
    checkLevel([node.selectionSet], level, { context, counter });
  }
};

interface Level {
  readonly depth: number;
  readonly type: GraphQLNamedType | null | undefined;
}

interface WalkContext {
  readonly context: FieldsContext;
  readonly counter: { fields: number };
}

const checkLevel = (
  sets: readonly SelectionSetNode[],
  { depth, type }: Level,
  { context, counter }: WalkContext,
): void => {
  if (depth > maxDepth) throw limitExceeded(`is nested deeper than ${maxDepth} levels`);
  const types = new Map<string, FieldOfType>();
  for (const object of isUnionType(type) ? type.getTypes() : [type]) {
    for (const [key, { field, sets: below }] of collectFields(sets, object?.name ?? null, context)) {
      counter.fields += 1;
      if (counter.fields > maxFields) throw limitExceeded(`selects more than ${maxFields} fields`);
      const found = isObjectType(object) ? object.getFields()[field.name.value]?.type : undefined;
      if (isUnionType(type)) requireSameType(key, { field, type: found }, types);
      const next = found === undefined ? undefined : getNamedType(found);
      if (below.length > 0) checkLevel(below, { depth: depth + 1, type: next }, { context, counter });
    }
  }
};

interface FieldOfType {
  readonly field: FieldNode;
  readonly type: GraphQLOutputType | undefined;
}

/** Applies the part of "Field Selection Merging" on types that exclude each other: equal keys have equal scalar types. */
const requireSameType = (key: string, given: FieldOfType, types: Map<string, FieldOfType>): void => {
  const present = types.get(key);
  if (present === undefined) {
    types.set(key, given);
    return;
  }
  const isSame = String(present.type) === String(given.type);
  const areObjects = [present, given].every(
    ({ type }) => type !== undefined && !isLeafType(getNamedType(type)),
  );
  if (!isSame && !areObjects) throw conflict(key, [present.field, given.field], 'types');
};

/**
 * Applies the rule "Field Selection Merging" of the GraphQL specification to one type, in time linear in the document.
 */
const requireIdentical = (first: FieldNode, other: FieldNode): void => {
  const key = (first.alias ?? first.name).value;
  if (first.name.value === other.name.value && printArguments(first) === printArguments(other)) return;
  throw conflict(key, [first, other], 'names or arguments');
};

const conflict = (key: string, fields: readonly FieldNode[], what: string): Error =>
  invalidDocument({
    message: `Fields "${key}" conflict: they have different ${what}. Use different aliases.`,
    locations: fields.flatMap(({ loc }) =>
      loc === undefined ? [] : [{ line: loc.startToken.line, column: loc.startToken.column }],
    ),
  });

const printArguments = ({ arguments: given = [] }: FieldNode): string => given.map(printSorted).sort().join();

/** Prints an argument with the fields of its objects sorted, because their order has no meaning. */
const printSorted = (argument: ArgumentNode): string =>
  print(
    visit(argument, {
      ObjectValue: {
        leave: (node) => ({ ...node, fields: node.fields.toSorted(compareNames) }),
      },
    }),
  );

const compareNames = ({ name: one }: ObjectFieldNode, { name: other }: ObjectFieldNode): number =>
  one.value < other.value ? -1 : 1;

const limitExceeded = (what: string): Error => invalidDocument({ message: `The document ${what}.` });
