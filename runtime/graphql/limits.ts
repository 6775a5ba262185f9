/** Limits the cost of a document, before it is validated and compiled. */
import {
  Kind,
  print,
  visit,
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
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
export const checkSelections = (document: DocumentNode): void => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const counter = { fields: 0 };
  const context: FieldsContext = { fragments, variables: null, onDuplicate: requireIdentical };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) checkLevel([node.selectionSet], 1, { context, counter });
  }
};

interface WalkContext {
  readonly context: FieldsContext;
  readonly counter: { fields: number };
}

const checkLevel = (
  sets: readonly SelectionSetNode[],
  level: number,
  { context, counter }: WalkContext,
): void => {
  if (level > maxDepth) throw limitExceeded(`is nested deeper than ${maxDepth} levels`);
  for (const { sets: below } of collectFields(sets, context).values()) {
    counter.fields += 1;
    if (counter.fields > maxFields) throw limitExceeded(`selects more than ${maxFields} fields`);
    if (below.length > 0) checkLevel(below, level + 1, { context, counter });
  }
};

/**
 * Applies the rule "Field Selection Merging" of the GraphQL specification, in time linear in the document. It is
 * stricter for objects: types cannot overlap here.
 */
const requireIdentical = (first: FieldNode, other: FieldNode): void => {
  const key = (first.alias ?? first.name).value;
  if (first.name.value === other.name.value && printArguments(first) === printArguments(other)) return;
  throw invalidDocument({
    message: `Fields "${key}" conflict: they have different names or arguments. Use different aliases.`,
    locations: [first, other].flatMap(({ loc }) =>
      loc === undefined ? [] : [{ line: loc.startToken.line, column: loc.startToken.column }],
    ),
  });
};

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
