/** Executes introspection fields with graphql-js. */
import {
  executeSync,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { toValidationError } from './errors.js';

interface IntrospectionContext {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Variables as sent. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Returns the value of `__schema` or `__type`. @throws GRAPHQL_VALIDATION */
export const introspect = (
  field: FieldNode,
  { schema, operation, fragments, variables }: IntrospectionContext,
): unknown => {
  const only: OperationDefinitionNode = {
    ...operation,
    selectionSet: { kind: Kind.SELECTION_SET, selections: [field] },
  };
  const { data, errors } = executeSync({
    schema,
    document: { kind: Kind.DOCUMENT, definitions: [only, ...fragments.values()] },
    variableValues: variables,
  });
  if (errors !== undefined) throw toValidationError(errors);
  return data?.[(field.alias ?? field.name).value];
};
