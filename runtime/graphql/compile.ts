/** Compiles an operation to its root fields; fields that depend on variables are bound for each request. */
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
import type { DryRun, ItemContext } from '../items/context.js';
import type { OperationContext } from '../operations/context.js';
import { findDeclaration } from '../operations/declarations.js';
import { toValidationError, invalidDocument } from './errors.js';
import { collectFields, type CollectedField } from './fields.js';
import { introspect } from './introspection.js';
import { directivesOf } from './directives.js';
import { runOperation, type OperationHandlers } from './operations.js';
import type { GraphqlCall } from './protocol.js';
import { dryRunMeta, rootActions, type RootMeta, type RootResult } from './roots.js';
import type { View } from './schema.js';
import { readAggregation } from './aggregation.js';
import { toGivenNames } from './given-names.js';
import { createArgumentReader, type SelectionContext } from './arguments.js';
import { pick, readSelection, toParsedQuery, type Selected } from './selection.js';
import { createPrototypeRemover, isInherited, withoutPrototype } from './variables.js';

export interface CompileOptions extends OperationHandlers {
  readonly registry: Registry;
  readonly introspection: boolean;
}

export interface CompiledOperation {
  readonly isMutation: boolean;
  /** True where a request with an expired session cookie may run it. */
  readonly isWithoutSession: boolean;
  /** Returns the root fields in order. @throws GRAPHQL_VALIDATION when the variables do not match their types */
  prepare(variables: GraphqlCall['variables']): readonly RootField[];
}

/** The context of one request. */
export interface CallContext extends ItemContext {
  /** Returns the context of the spec's operations, created on first use. */
  operation(): OperationContext;
}

export interface RootField {
  /** Response key: the alias or the name. */
  readonly key: string;
  readonly location: { readonly line: number; readonly column: number };
  /** True where the type is non-null: without a value, `data` is null. */
  readonly isRequired: boolean;
  run(context: CallContext): Promise<RootResult>;
}

interface CompileContext {
  readonly view: View;
  readonly options: CompileOptions;
}

/** Compiles an operation of a valid document. @throws GRAPHQL_VALIDATION */
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
  const isMutation = operation.operation === 'mutation';
  const compiled = { type, operation, fragments, view, options };
  const calls = findOperationCalls(compiled);
  if (isMutation) rejectRepeated(calls);
  const common = {
    isMutation,
    isWithoutSession: calls.every(({ id = '' }) => findDeclaration(id)?.withoutSession === true),
  };
  const definitions = operation.variableDefinitions ?? [];
  if (definitions.length === 0) {
    const roots = bindRoots(compiled, {}).map((bind) => bind({}, {}));
    return { ...common, prepare: () => roots };
  }
  const shared = hasFixedSelection(document) ? bindRoots(compiled, {}) : null;
  const conditions = shared === null ? nullableConditions(document, operation) : [];
  const removePrototypes = createPrototypeRemover(definitions, view);
  const hasInherited = definitions.some(({ variable }) => isInherited(variable.name.value));
  return {
    ...common,
    prepare(given) {
      const sent = removePrototypes(given);
      const { coerced, errors } = getVariableValues(view.schema, definitions, sent, {
        maxErrors: 20,
        hideSuggestions: !options.introspection,
      });
      if (errors !== undefined) throw toValidationError(errors);
      const variables = hasInherited ? withoutPrototype(coerced) : coerced;
      for (const name of conditions) requireCondition(name, variables);
      return (shared ?? bindRoots(compiled, variables)).map((bind) => bind(variables, sent));
    },
  };
};

interface OperationParts extends CompileContext {
  readonly type: GraphQLObjectType;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** Returns true if variables occur only in arguments of root fields, so the selection does not depend on them. */
const hasFixedSelection = (document: DocumentNode): boolean => {
  let fixed = true;
  const path: string[] = [];
  visit(document, {
    enter(node) {
      if (node.kind === Kind.VARIABLE_DEFINITION) return false;
      path.push(node.kind);
      fixed &&=
        node.kind !== Kind.VARIABLE ||
        path.slice(0, rootArgumentPath.length).join() === rootArgumentPath.join();
      return undefined;
    },
    leave() {
      path.pop();
    },
  });
  return fixed;
};

const rootArgumentPath = [
  Kind.DOCUMENT,
  Kind.OPERATION_DEFINITION,
  Kind.SELECTION_SET,
  Kind.FIELD,
  Kind.ARGUMENT,
];

/** Returns the nullable variables that `@skip` and `@include` use, where null would be an invalid value. */
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
    message: `The variable "$${name}" is null, but "@skip" and "@include" require true or false.`,
  });
};

/** A root field and the id of its operation in the spec, if any. */
interface OperationCall {
  readonly name: string;
  readonly id: string | undefined;
}

const findOperationCalls = ({
  type,
  operation,
  fragments,
  view: { schema },
}: OperationParts): readonly OperationCall[] =>
  [
    ...collectFields([operation.selectionSet], type.name, { schema, fragments, variables: null }).values(),
  ].map(({ field }) => ({
    name: field.name.value,
    id: directivesOf(type.getFields()[field.name.value]?.astNode).operation,
  }));

/** Rejects a repeated operation: with aliases, one request could otherwise guess many passwords. */
const rejectRepeated = (calls: readonly OperationCall[]): void => {
  const seen = new Set<string>();
  for (const { name, id } of calls) {
    if (id === undefined) continue;
    if (seen.has(name)) throw invalidDocument({ message: `"${name}" is allowed only once in a document.` });
    seen.add(name);
  }
};

type Variables = Readonly<Record<string, unknown>>;

/** Binds a root field to coerced variables and to the variables as sent. */
type Bind = (variables: Variables, sent: Variables) => RootField;

const bindRoots = (compiled: OperationParts, variables: Variables): readonly Bind[] => {
  const { type, operation, fragments, view } = compiled;
  const context: SelectionContext = { schema: view.schema, fragments, variables };
  return [...collectFields([operation.selectionSet], type.name, context)].map(([key, found]) =>
    bindRoot(key, found, { ...compiled, context }),
  );
};

interface RootContext extends OperationParts {
  readonly context: SelectionContext;
}

const bindRoot = (key: string, found: CollectedField, root: RootContext): Bind => {
  const { loc, name } = found.field;
  const field = root.type.getFields()[name.value];
  const common = {
    key,
    location: { line: loc?.startToken.line ?? 1, column: loc?.startToken.column ?? 1 },
    isRequired: field !== undefined && isNonNullType(field.type),
  };
  const bind = field === undefined ? bindMeta(found, root) : bindField(field, found, root);
  return (variables, sent) => ({ ...common, run: bind(variables, sent) });
};

type BindRun = (...variables: Parameters<Bind>) => RootField['run'];

/** Binds `__typename`, `__schema` or `__type`. */
const bindMeta = ({ field }: CollectedField, { type, view, operation, fragments }: RootContext): BindRun => {
  if (field.name.value === '__typename') return () => async () => ({ value: type.name });
  const { schema } = view;
  return (_, sent) => async () => ({
    value: introspect(field, { schema, operation, fragments, variables: sent }),
  });
};

const bindField = (
  field: GraphQLField<unknown, unknown>,
  found: CollectedField,
  { context, options }: RootContext,
): BindRun => {
  const directives = directivesOf(field.astNode);
  if (directives.operation === undefined && directives.action === undefined)
    return () => async () => ({ value: null });
  const read = createArgumentReader(field, found.field);
  const selected = { type: getNamedType(field.type), context };
  if (directives.operation !== undefined) {
    return (variables) => {
      const given = read(variables);
      return async ({ operation }) => {
        const args = given.translated();
        let meta: RootMeta | null = null;
        const reportDryRun = (dryRun: DryRun): void => void (meta = dryRunMeta(dryRun));
        const value = await runOperation({ field, args }, { ...operation(), reportDryRun }, options);
        return { value: pick(value, found, selected), ...(meta !== null && { meta }) };
      };
    };
  }
  const collection = options.registry.collections.get(directives.collection ?? '');
  const action = rootActions.get(directives.action ?? '');
  if (collection === undefined || action === undefined)
    throw new Error(`the field "${field.name}" has no collection or no action`);
  let selection: Selected | null = null;
  const query = (parameters: Variables) =>
    toParsedQuery(parameters, (selection ??= readSelection(found, selected)));
  return (variables) => {
    const given = read(variables);
    let run: ReturnType<typeof action> | null = null;
    return async (callContext) => {
      try {
        // inside the call, so that invalid arguments are an error of this field only
        const args = given.translated();
        run ??= action({
          collection,
          args,
          query,
          aggregation: () => readAggregation(args, found, selected),
        });
        const result = await run(callContext);
        return 'value' in result && isObjectType(selected.type)
          ? { ...result, value: pick(trueToNull(result.value), found, selected) }
          : result;
      } catch (error) {
        throw toGivenNames(error, field, given.given());
      }
    };
  };
};

/** Maps the result of a write that the caller may not read to a null object. */
const trueToNull = (value: unknown): unknown => (value === true ? null : value);
