/** What a schema says about itself: the one part that graphql-js runs. */
import {
  executeSync,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { invalidBy } from './errors.js';

interface Introspection {
  readonly schema: GraphQLSchema;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** As they were sent. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The value of `__schema` or `__type`. @throws GRAPHQL_VALIDATION */
export const introspect = (
  field: FieldNode,
  { schema, operation, fragments, variables }: Introspection,
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
  if (errors !== undefined) throw invalidBy(errors);
  return data?.[(field.alias ?? field.name).value];
};
