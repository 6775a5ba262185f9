/** What a document may cost, found out before anything expensive is done with it. */
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

/** Parsers and validators recurse. */
const mostBrackets = 200;
const mostDefinitions = 200;
const mostAliases = 100;
const mostDirectives = 100;
/** Levels of an operation, fragments opened. */
const mostLevels = 40;
/** Fields of all operations, fragments opened. */
const mostFields = 2_000;

/** Brackets, and what may hold brackets that are none: texts and comments. */
const brackets = /"""(?:\\"""|[^])*?"""|"(?:\\.|[^"\\\n])*"|#.*|[{[(]|[}\])]/g;

/** @throws GRAPHQL_VALIDATION */
export const checkNesting = (text: string): void => {
  let depth = 0;
  for (const [found] of text.matchAll(brackets)) {
    if ('{[('.includes(found)) depth += 1;
    else if ('}])'.includes(found)) depth -= 1;
    if (depth > mostBrackets) throw tooMuch(`is nested deeper than ${mostBrackets} brackets`);
  }
};

/** @throws GRAPHQL_VALIDATION */
export const checkParts = (document: DocumentNode): void => {
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
  if (document.definitions.length > mostDefinitions) {
    throw tooMuch(`has more than ${mostDefinitions} operations and fragments`);
  }
  if (aliases > mostAliases) throw tooMuch(`has more than ${mostAliases} aliases`);
  if (directives > mostDirectives) throw tooMuch(`has more than ${mostDirectives} directives`);
};

/** Of a document that is valid otherwise: depth, number of fields, and fields that would be one key. */
export const checkSelections = (document: DocumentNode): void => {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node] as const] : [],
    ),
  );
  const counter = { fields: 0 };
  const context: FieldsContext = { fragments, variables: null, onSame: requireSame };
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) walk([node.selectionSet], 1, { context, counter });
  }
};

interface Walk {
  readonly context: FieldsContext;
  readonly counter: { fields: number };
}

const walk = (sets: readonly SelectionSetNode[], level: number, { context, counter }: Walk): void => {
  if (level > mostLevels) throw tooMuch(`is nested deeper than ${mostLevels} levels`);
  for (const { sets: below } of collectFields(sets, context).values()) {
    counter.fields += 1;
    if (counter.fields > mostFields) throw tooMuch(`selects more than ${mostFields} fields`);
    if (below.length > 0) walk(below, level + 1, { context, counter });
  }
};

/** As the rule of GraphQL has it, in time that grows with the document only. */
const requireSame = (first: FieldNode, other: FieldNode): void => {
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

/** Members of objects have no order. */
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

const tooMuch = (what: string): Error => invalidDocument({ message: `The document ${what}.` });
