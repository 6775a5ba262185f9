/**
 * Plans the items of many-to-any relations: fields below `item` are those of every target, fields below `item:works` of
 * one.
 */
import type { ToAny, ToOne } from '../../contract/collection.js';
import type { AnySelection, FieldNode } from '../request/query.js';
import type { Scope } from './scope.js';

/**
 * Joins the nodes that select from the same many-to-any relation. A relation that is named alone stays as it is: the
 * column with the key. A target that the relation does not have selects nothing, as clients expect.
 */
export const joinTargets = (nodes: readonly FieldNode[], scope: Scope): readonly FieldNode[] => {
  const groups = new Map<string, { readonly relation: ToAny; readonly nodes: FieldNode[] }>();
  for (const node of nodes) {
    const relation = anyRelationOf(node, scope);
    if (relation === null || isColumn(node, relation)) continue;
    const key = keyOf(node, relation);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { relation, nodes: [node] });
    else group.nodes.push(node);
  }
  if (groups.size === 0) return nodes;
  return nodes.flatMap((node) => {
    const relation = anyRelationOf(node, scope);
    const key = relation === null ? '' : keyOf(node, relation);
    const group = relation === null ? undefined : groups.get(key);
    if (group === undefined) return [node];
    // the column itself, such as from `*`, is left out too
    const [first] = group.nodes;
    if (first !== node) return [];
    return [{ ...node, name: group.relation.name, as: key, targets: node.targets ?? selectionsOf(group) }];
  });
};

/** Returns the relation of `item` or `item:works`; null for other names. */
const anyRelationOf = ({ name, constant }: FieldNode, { collection }: Scope): ToAny | null => {
  if (constant !== undefined) return null;
  const { relations, fields } = collection;
  const [owner = ''] = fields.has(name) || relations.has(name) ? [name] : name.split(':', 1);
  const relation = relations.get(owner);
  return relation?.kind === 'manyToAny' ? relation : null;
};

const keyOf = ({ as }: FieldNode, { name }: ToAny): string => as ?? name;

const isColumn = ({ name, children, targets }: FieldNode, relation: ToAny): boolean =>
  name === relation.name && children.length === 0 && targets === undefined;

interface Group {
  readonly relation: ToAny;
  readonly nodes: readonly FieldNode[];
}

const selectionsOf = ({ relation, nodes }: Group): readonly AnySelection[] =>
  relation.targets.map((target) => {
    const children = [
      ...nodes.filter(({ name }) => name === relation.name).flatMap((node) => node.children),
      ...nodes.flatMap((node) => childrenOf(node, target)),
    ];
    return { collection: target.target, children: children.length === 0 ? null : children };
  });

/** Returns what a node selects of a target; one that is named alone is the whole item. */
const childrenOf = ({ name, children }: FieldNode, target: ToOne): readonly FieldNode[] => {
  if (name !== target.name) return [];
  return children.length === 0 ? [{ name: '*', children: [] }] : children;
};
