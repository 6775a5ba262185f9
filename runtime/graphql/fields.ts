/** Collects the fields of selection sets by response key, with fragments expanded. */
import type { DirectiveNode, FieldNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';

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
  /** Called for every further field of a key. */
  readonly onDuplicate?: (first: FieldNode, other: FieldNode) => void;
}

/** Collects fields. Every fragment applies, because the schema has neither interfaces nor unions. */
export const collectFields = (
  sets: readonly SelectionSetNode[],
  context: FieldsContext,
): ReadonlyMap<string, CollectedField> => {
  const found = new Map<string, { readonly field: FieldNode; readonly sets: SelectionSetNode[] }>();
  const seen = new Set<string>();
  const add = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (!isIncluded(selection.directives, context)) continue;
      if (selection.kind === 'Field') addField(selection);
      else if (selection.kind === 'InlineFragment') add(selection.selectionSet);
      else addFragment(selection.name.value);
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
    add(fragment.selectionSet);
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
