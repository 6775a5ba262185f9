/** A schema as one caller may see it: what is not theirs is not there, and cannot be told from what never was. */
import {
  Kind,
  print,
  visit,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  type TypeNode,
} from 'graphql';
import type { Action } from '../access/policies.js';
import type { Visibility } from '../access/visibility.js';
import { directiveName, directivesOf } from './directives.js';

type ShapeNode = ObjectTypeDefinitionNode | InputObjectTypeDefinitionNode;
type MemberNode = FieldDefinitionNode | InputValueDefinitionNode;

/** What a field at the root needs. */
const neededActions: Readonly<Record<string, Action>> = {
  list: 'read',
  item: 'read',
  singleton: 'read',
  create: 'create',
  createMany: 'create',
  update: 'update',
  updateMany: 'update',
  updateBatch: 'update',
  updateSingleton: 'update',
  own: 'read',
  ownList: 'read',
  updateOwn: 'update',
  deleteItem: 'delete',
  deleteMany: 'delete',
};

/** Only types, and of those the ones that can be reached. The document given stays as it is. */
export const restrictSchema = (document: DocumentNode, visible: Visibility): DocumentNode => {
  const types = document.definitions.filter((node) => node.kind !== Kind.DIRECTIVE_DEFINITION);
  if (visible.level === 'admin') return { ...document, definitions: types };
  const absent = findAbsent(types, visible);
  const narrowed = types
    .filter((node) => !absent.has(nameOf(node)))
    .map((node) => (isShape(node) ? narrowShape(node, absent, visible) : node));
  return { ...document, definitions: reachable(withQuery(narrowed)) };
};

/** Without the directives, as clients read it. */
export const printRestricted = (document: DocumentNode): string =>
  `${print(visit(document, { Directive: ({ name }) => (name.value === directiveName ? null : undefined) }))}\n`;

const isShape = (node: DefinitionNode): node is ShapeNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;

const nameOf = (node: DefinitionNode): string => ('name' in node ? (node.name?.value ?? '') : '');

/** Types of collections that the caller may not use, and types of which nothing is left. */
const findAbsent = (types: readonly DefinitionNode[], visible: Visibility): ReadonlySet<string> => {
  const shapes = types.filter(isShape);
  const absent = new Set(shapes.filter((node) => !isPermitted(node, visible)).map(nameOf));
  for (let before = -1; before !== absent.size;) {
    before = absent.size;
    for (const node of shapes) {
      const isEmpty = membersOf(narrowShape(node, absent, visible)).length === 0;
      if (isEmpty && !roots.has(nameOf(node))) absent.add(nameOf(node));
    }
  }
  return absent;
};

const roots: ReadonlySet<string> = new Set(['Query', 'Mutation']);

const isPermitted = (node: ShapeNode, visible: Visibility): boolean => {
  const { collection, action } = directivesOf(node);
  return collection === undefined || visible.can(collection, action as Action) !== null;
};

const membersOf = ({ fields = [] }: ShapeNode): readonly MemberNode[] => fields;

const narrowShape = (node: ShapeNode, absent: ReadonlySet<string>, visible: Visibility): ShapeNode => {
  const keep = keeperOf(node, visible);
  const fields = membersOf(node).flatMap((field) => {
    const kept = keep(field) ? narrowMember(field, absent) : null;
    return kept === null ? [] : [kept];
  });
  const loosened = loosen(fields, node, visible);
  return { ...node, fields: loosened } as ShapeNode;
};

const logicNames: ReadonlySet<string> = new Set(['_and', '_or', '_some', '_none', '_null', '_nnull']);

const keeperOf = (node: ShapeNode, visible: Visibility): ((field: MemberNode) => boolean) => {
  const { collection, action } = directivesOf(node);
  if (collection === undefined) return (field) => isRootPermitted(field, visible);
  const names = visible.can(collection, action as Action);
  const isFilter = node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && action === 'read';
  return (field) => {
    const { name = field.name.value, access } = directivesOf(field);
    if (access === 'admin') return false;
    return names === '*' || names?.has(name) === true || (isFilter && logicNames.has(field.name.value));
  };
};

const isRootPermitted = (field: MemberNode, visible: Visibility): boolean => {
  const { collection, action = '', access } = directivesOf(field);
  if (access === 'admin' || (access === 'user' && visible.level === 'public')) return false;
  return collection === undefined || visible.can(collection, neededActions[action] ?? 'read') !== null;
};

/**
 * Where the type is absent: a relation becomes the column it stands on, a written list one of new items, what a write
 * answers becomes `true`; anything else goes.
 */
const narrowMember = (field: MemberNode, absent: ReadonlySet<string>): MemberNode | null => {
  const kept = 'arguments' in field ? withArguments(field, absent) : field;
  if (!absent.has(typeName(field.type))) return kept;
  const { otherwise, action } = directivesOf(field);
  if (otherwise === undefined) return action === undefined ? null : { ...kept, type: named('Boolean') };
  if (absent.has(otherwise)) return null;
  return {
    ...kept,
    ...('arguments' in kept && { arguments: [] }),
    type: renamed(kept.type, otherwise),
  };
};

/** The type by another name: a list stays one. */
const renamed = (type: TypeNode, name: string): TypeNode =>
  type.kind === Kind.LIST_TYPE ? { ...type, type: renamed(type.type, name) } : named(name);

const withArguments = (field: FieldDefinitionNode, absent: ReadonlySet<string>): FieldDefinitionNode => ({
  ...field,
  arguments: (field.arguments ?? []).filter((argument) => !absent.has(typeName(argument.type))),
});

/** Cells that rules hide are null; what permissions fill in need not be given. */
const loosen = (
  fields: readonly MemberNode[],
  node: ShapeNode,
  visible: Visibility,
): readonly MemberNode[] => {
  const { collection, action } = directivesOf(node);
  if (collection === undefined || action === undefined) return fields;
  const names =
    action === 'read' ? visible.partial(collection) : visible.presets(collection, action as Action);
  if (names.size === 0) return fields;
  return fields.map((field) =>
    names.has(directivesOf(field).name ?? field.name.value) && field.type.kind === Kind.NON_NULL_TYPE
      ? { ...field, type: field.type.type }
      : field,
  );
};

const named = (name: string): NamedTypeNode => ({
  kind: Kind.NAMED_TYPE,
  name: { kind: Kind.NAME, value: name },
});

export const typeName = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : typeName(type.type);

/** A schema has a query type with at least one field; a mutation type without any goes. */
const withQuery = (types: readonly DefinitionNode[]): readonly DefinitionNode[] =>
  types.flatMap((node): readonly DefinitionNode[] => {
    if (!isShape(node) || !roots.has(nameOf(node)) || membersOf(node).length > 0) return [node];
    return nameOf(node) === 'Query' ? emptyQuery : [];
  });

const emptyQuery: readonly DefinitionNode[] = [
  {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    name: { kind: Kind.NAME, value: 'Query' },
    fields: [
      { kind: Kind.FIELD_DEFINITION, name: { kind: Kind.NAME, value: '_empty' }, type: named('Void') },
    ],
  },
  { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: 'Void' } },
];

const reachable = (types: readonly DefinitionNode[]): readonly DefinitionNode[] => {
  const byName = new Map(types.map((node) => [nameOf(node), node]));
  const seen = new Set<string>(roots);
  // a Set also visits what is added on the way
  for (const name of seen) {
    const node = byName.get(name);
    if (node === undefined || !isShape(node)) continue;
    for (const field of membersOf(node)) {
      seen.add(typeName(field.type));
      if ('arguments' in field) for (const { type } of field.arguments ?? []) seen.add(typeName(type));
    }
  }
  return types.filter((node) => seen.has(nameOf(node)));
};
