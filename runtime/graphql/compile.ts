/** A document's operation, compiled to its fields at the root; with variables, to what still depends on them. */
import {
  getNamedType,
  getVariableValues,
  isNonNullType,
  isObjectType,
  Kind,
  separateOperations,
  visit,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type OperationDefinitionNode,
} from 'graphql';
import type { Registry } from '../../contract/collection.js';
import type { ItemContext } from '../items/context.js';
import type { OperationContext } from '../operations/context.js';
import { findDeclaration } from '../operations/declarations.js';
import { invalidBy, invalidDocument } from './errors.js';
import { collectFields, type Fields } from './fields.js';
import { introspect } from './introspection.js';
import { directivesOf } from './directives.js';
import { runOperation, type OperationHandlers } from './operations.js';
import type { GraphqlCall } from './protocol.js';
import { rootActions, type RootResult } from './roots.js';
import type { View } from './schema.js';
import {
  argumentReader,
  pick,
  readSelection,
  toParsedQuery,
  type Selected,
  type SelectionContext,
} from './selection.js';
import { inputSeparator, isInherited, withoutPrototype } from './variables.js';

export interface CompileOptions extends OperationHandlers {
  readonly registry: Registry;
  readonly introspection: boolean;
}

export interface CompiledOperation {
  readonly writes: boolean;
  /** Whether whoever comes with a session that is over may ask it. */
  readonly isWithoutSession: boolean;
  /** The fields at the root, in order. @throws GRAPHQL_VALIDATION for variables that do not fit */
  prepare(variables: GraphqlCall['variables']): readonly Root[];
}

/** Of one request. */
export interface CallContext extends ItemContext {
  /** What bodies of operations know; made when the first one asks. */
  operation(): OperationContext;
}

export interface Root {
  /** In the answer. */
  readonly key: string;
  readonly place: { readonly line: number; readonly column: number };
  /** Without a value there is no answer at all. */
  readonly isRequired: boolean;
  run(context: CallContext): Promise<RootResult>;
}

interface CompileContext {
  readonly view: View;
  readonly options: CompileOptions;
}

/** @throws GRAPHQL_VALIDATION */
export const compileOperation = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  { view, options }: CompileContext,
): CompiledOperation => {
  const type = view.schema.getRootType(operation.operation);
  if (type === null || type === undefined) {
    throw invalidDocument({ message: `The schema has no ${operation.operation}.` });
  }
  const fragments = new Map(
    document.definitions.flatMap((node): [string, FragmentDefinitionNode][] =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [],
    ),
  );
  const writes = operation.operation === 'mutation';
  const compiled = { type, operation, fragments, view, options };
  const calls = operationsIn(compiled);
  if (writes) requireOnce(calls);
  const common = {
    writes,
    isWithoutSession: calls.every(({ id = '' }) => findDeclaration(id)?.withoutSession === true),
  };
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) {
    const roots = bindRoots(compiled, {}).map((bind) => bind({}, {}));
    return { ...common, prepare: () => roots };
  }
  const fixed = isFixed(document) ? bindRoots(compiled, {}) : null;
  const conditions = fixed === null ? nullableConditions(document, operation) : [];
  const separate = inputSeparator(definitions, view);
  const hasInherited = definitions.some(({ variable }) => isInherited(variable.name.value));
  return {
    ...common,
    prepare(given) {
      const sent = separate(given);
      const { coerced, errors } = getVariableValues(view.schema, definitions, sent, {
        maxErrors: 20,
        hideSuggestions: !options.introspection,
      });
      if (errors !== undefined) throw invalidBy(errors);
      const variables = hasInherited ? withoutPrototype(coerced) : coerced;
      for (const name of conditions) requireCondition(name, variables);
      return (fixed ?? bindRoots(compiled, variables)).map((bind) => bind(variables, sent));
    },
  };
};

interface Compiled extends CompileContext {
  readonly type: GraphQLObjectType;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Whether variables stand in arguments at the root alone: what is selected is the same whatever they are. */
const isFixed = (document: DocumentNode): boolean => {
  let fixed = true;
  const path: string[] = [];
  visit(document, {
    enter(node) {
      if (node.kind === Kind.VARIABLE_DEFINITION) return false;
      path.push(node.kind);
      fixed &&=
        node.kind !== Kind.VARIABLE || path.slice(0, rootArgument.length).join() === rootArgument.join();
      return undefined;
    },
    leave() {
      path.pop();
    },
  });
  return fixed;
};

const rootArgument = [
  Kind.DOCUMENT,
  Kind.OPERATION_DEFINITION,
  Kind.SELECTION_SET,
  Kind.FIELD,
  Kind.ARGUMENT,
];

/** Variables that decide what is included, and that may be null although nothing is decided then. */
const nullableConditions = (
  document: DocumentNode,
  { name, variableDefinitions = [] }: OperationDefinitionNode,
): readonly string[] => {
  const nullable = variableDefinitions.filter(({ type }) => type.kind !== Kind.NON_NULL_TYPE);
  const own = nullable.length === 0 ? undefined : separateOperations(document)[name?.value ?? ''];
  if (own === undefined) return [];
  const found = new Set<string>();
  visit(own, {
    Directive: (directive) => {
      visit(directive, { Variable: (variable) => void found.add(variable.name.value) });
    },
  });
  return nullable.map(({ variable }) => variable.name.value).filter((each) => found.has(each));
};

const requireCondition = (name: string, variables: Variables): void => {
  if (variables[name] !== null) return;
  throw invalidDocument({
    message: `"if" of "@skip" and "@include" must not be null, and the variable "$${name}" is.`,
  });
};

/** A field at the root, and the operation of the spec behind it. */
interface FoundCall {
  readonly name: string;
  readonly id: string | undefined;
}

const operationsIn = ({ type, operation, fragments }: Compiled): readonly FoundCall[] =>
  [...collectFields([operation.selectionSet], { fragments, variables: null }).values()].map(({ field }) => ({
    name: field.name.value,
    id: directivesOf(type.getFields()[field.name.value]?.astNode).operation,
  }));

/** One document, one try: aliases would make a guess of many out of one login. */
const requireOnce = (calls: readonly FoundCall[]): void => {
  const seen = new Set<string>();
  for (const { name, id } of calls) {
    if (id === undefined) continue;
    if (seen.has(name)) throw invalidDocument({ message: `"${name}" may stand in a document once.` });
    seen.add(name);
  }
};

type Variables = Readonly<Record<string, unknown>>;

/** With variables as the schema reads them, and as they were sent. */
type Bind = (variables: Variables, given: Variables) => Root;

const bindRoots = (compiled: Compiled, variables: Variables): readonly Bind[] => {
  const { operation, fragments, view } = compiled;
  const context: SelectionContext = { fragments, variables, respelled: view.respelled };
  return [...collectFields([operation.selectionSet], context)].map(([key, found]) =>
    bindRoot(key, found, { ...compiled, context }),
  );
};

interface RootContext extends Compiled {
  readonly context: SelectionContext;
}

const bindRoot = (key: string, found: Fields, root: RootContext): Bind => {
  const { loc, name } = found.field;
  const field = root.type.getFields()[name.value];
  const common = {
    key,
    place: { line: loc?.startToken.line ?? 1, column: loc?.startToken.column ?? 1 },
    isRequired: field !== undefined && isNonNullType(field.type),
  };
  const bind = field === undefined ? bindMeta(found, root) : bindField(field, found, root);
  return (variables, given) => ({ ...common, run: bind(variables, given) });
};

type BindRun = (...variables: Parameters<Bind>) => Root['run'];

/** `__typename`, `__schema`, `__type`. */
const bindMeta = ({ field }: Fields, { type, view, operation, fragments }: RootContext): BindRun => {
  if (field.name.value === '__typename') return () => async () => ({ value: type.name });
  const { schema } = view;
  return (_, given) => async () => ({
    value: introspect(field, { schema, operation, fragments, variables: given }),
  });
};

const bindField = (
  field: GraphQLField<unknown, unknown>,
  found: Fields,
  { context, options }: RootContext,
): BindRun => {
  const directives = directivesOf(field.astNode);
  if (directives.operation === undefined && directives.action === undefined)
    return () => async () => ({ value: null });
  const read = argumentReader(field, found.field, context);
  const selected = { type: getNamedType(field.type), context };
  if (directives.operation !== undefined) {
    return (variables) => {
      const given = read(variables);
      return async ({ operation }) => ({
        value: pick(await runOperation({ field, given }, operation(), options), found, selected),
      });
    };
  }
  const collection = options.registry.collections.get(directives.collection ?? '');
  const action = rootActions.get(directives.action ?? '');
  if (collection === undefined || action === undefined)
    throw new Error(`"${field.name}" is not behind anything`);
  let selection: Selected | null = null;
  const query = (parameters: Variables) =>
    toParsedQuery(parameters, (selection ??= readSelection(found, selected)));
  return (variables) => {
    const given = read(variables);
    let begin: ReturnType<typeof action> | null = null;
    return async (callContext) => {
      // in here, what is wrong with the arguments is an error of this field alone
      begin ??= action({ collection, given, query });
      const result = await begin(callContext);
      return 'value' in result && isObjectType(selected.type)
        ? { value: pick(withoutTruth(result.value), found, selected) }
        : result;
    };
  };
};

/** Nothing may be shown of what was written: an object that is not there. */
const withoutTruth = (value: unknown): unknown => (value === true ? null : value);
