/** Collects the fields of selection sets by response key, with fragments expanded. */
import {
  isAbstractType,
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  type NamedTypeNode,
  type SelectionSetNode,
} from 'graphql';

/** All fields of one response key. */
export interface CollectedField {
  /** The first field with the key. */
  readonly field: FieldNode;
  /** Selection sets of all fields with the key. */
  readonly sets: readonly SelectionSetNode[];
}

export interface FieldsContext {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** `null`: ignore `@skip` and `@include`. */
  readonly variables: Readonly<Record<string, unknown>> | null;
  readonly schema: GraphQLSchema;
  /** Called for every further field of a key. */
  readonly onDuplicate?: (first: FieldNode, other: FieldNode) => void;
}

/**
 * Collects the fields that are selected of an object type. A fragment applies if it is on that type, or on a union, which
 * then includes the type. `null`: every fragment applies.
 */
export const collectFields = (
  sets: readonly SelectionSetNode[],
  type: string | null,
  context: FieldsContext,
): ReadonlyMap<string, CollectedField> => {
  const found = new Map<string, { readonly field: FieldNode; readonly sets: SelectionSetNode[] }>();
  const seen = new Set<string>();
  const applies = (condition: NamedTypeNode | undefined): boolean =>
    type === null ||
    condition === undefined ||
    condition.name.value === type ||
    isAbstractType(context.schema.getType(condition.name.value));
  const add = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (!isIncluded(selection.directives, context)) continue;
      if (selection.kind === 'Field') addField(selection);
      else if (selection.kind === 'FragmentSpread') addFragment(selection.name.value);
      else if (applies(selection.typeCondition)) add(selection.selectionSet);
    }
  };
  const addField = (field: FieldNode): void => {
    const key = keyOf(field);
    const present = found.get(key);
    const below = field.selectionSet === undefined ? [] : [field.selectionSet];
    if (present === undefined) {
      found.set(key, { field, sets: below });
      return;
    }
    context.onDuplicate?.(present.field, field);
    present.sets.push(...below);
  };
  const addFragment = (name: string): void => {
    const fragment = context.fragments.get(name);
    if (fragment === undefined || seen.has(name)) return;
    seen.add(name);
    if (applies(fragment.typeCondition)) add(fragment.selectionSet);
  };
  for (const set of sets) add(set);
  return found;
};

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

const isIncluded = (directives: readonly DirectiveNode[] = [], { variables }: FieldsContext): boolean =>
  variables === null ||
  directives.every(({ name, arguments: given = [] }) => {
    if (name.value !== 'skip' && name.value !== 'include') return true;
    const value = given[0]?.value;
    const holds =
      value?.kind === 'Variable'
        ? variables[value.name.value] === true
        : value?.kind === 'BooleanValue' && value.value;
    return holds === (name.value === 'include');
  });
