/** Reads the functions below a field such as `acquired_func { year }`. */
import { isObjectType, type FieldNode as SelectedField, type GraphQLNamedType } from 'graphql';
import { callToText, type FunctionCall } from '../../contract/functions.js';
import { coerceArguments, type SelectionContext } from './arguments.js';
import { collectFields, type CollectedField } from './fields.js';

/** A selected function of `acquired_func { year }`, as `year(acquired)`, or the JSON of its `__typename`. */
export type SelectedCall =
  | { readonly key: string; readonly call: string }
  | { readonly key: string; readonly json: string };

interface CallOptions {
  readonly context: SelectionContext;
  /** The field or list that the functions are called with. */
  readonly call: string;
  readonly type: GraphQLNamedType | undefined;
}

/** Returns the functions below a field, by their keys in the response. */
export const callsIn = (
  { sets }: Pick<CollectedField, 'sets'>,
  { context, call, type }: CallOptions,
): readonly SelectedCall[] =>
  [...collectFields(sets, type?.name ?? null, context)].map(([key, { field }]) =>
    field.name.value === '__typename'
      ? { key, json: JSON.stringify(type?.name) }
      : { key, call: callToText(toCall(field, { context, call, type })) },
  );

/** @throws GRAPHQL_VALIDATION */
const toCall = (node: SelectedField, { context, call: argument, type }: CallOptions): FunctionCall => {
  const name = node.name.value as FunctionCall['name'];
  if (name !== 'json') return { name, argument };
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  const { path = '' } = field === undefined ? {} : coerceArguments(field, node, context.variables);
  return { name, argument, path: String(path) };
};
