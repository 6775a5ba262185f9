/**
 * Restricts a schema to what a caller may use. Removed parts are indistinguishable from parts that never existed.
 */
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
  type UnionTypeDefinitionNode,
} from 'graphql';
import type { Action } from '../access/policies.js';
import { isVisibleAt, type Visibility } from '../access/visibility.js';
import { directiveName, directivesOf } from './directives.js';

type ShapeNode = ObjectTypeDefinitionNode | InputObjectTypeDefinitionNode;
type MemberNode = FieldDefinitionNode | InputValueDefinitionNode;

/**
 * The permission that each action requires; one of both to write items in a list, and to remove them from it, which updates
 * or deletes them.
 */
const neededActions: Readonly<Record<string, Action | readonly Action[]>> = {
  list: 'read',
  aggregate: 'read',
  item: 'read',
  singleton: 'read',
  create: 'create',
  createMany: 'create',
  upsertMany: 'create',
  update: 'update',
  updateMany: 'update',
  updateBatch: 'update',
  updateSingleton: 'update',
  own: 'read',
  ownList: 'read',
  updateOwn: 'update',
  relate: ['create', 'update'],
  deleteItem: 'delete',
  deleteMany: 'delete',
  remove: ['update', 'delete'],
};

/** Returns the schema without directive definitions, forbidden parts and unreachable types; does not modify the input. */
export const restrictSchema = (document: DocumentNode, visibility: Visibility): DocumentNode => {
  const types = document.definitions.filter((node) => node.kind !== Kind.DIRECTIVE_DEFINITION);
  if (visibility.level === 'admin') return { ...document, definitions: types };
  const absent = findAbsent(types, visibility);
  const restricted = types
    .filter((node) => !absent.has(nameOf(node)))
    .map((node) => {
      if (node.kind === Kind.UNION_TYPE_DEFINITION) return restrictUnion(node, absent);
      return isShape(node) ? restrictShape(node, absent, visibility) : node;
    });
  return { ...document, definitions: filterReachable(withQuery(restricted)) };
};

/** Prints a restricted schema for clients, without the `svc` directives. */
export const printRestricted = (document: DocumentNode): string =>
  `${print(visit(document, { Directive: ({ name }) => (name.value === directiveName ? null : undefined) }))}\n`;

const isShape = (node: DefinitionNode): node is ShapeNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION;

const nameOf = (node: DefinitionNode): string => ('name' in node ? (node.name?.value ?? '') : '');

/** Returns the names of types that the caller may not use, and of types that lose all their fields. */
const findAbsent = (types: readonly DefinitionNode[], visibility: Visibility): ReadonlySet<string> => {
  const shapes = types.filter(isShape);
  const absent = new Set(shapes.filter((node) => !isPermitted(node, visibility)).map(nameOf));
  for (let before = -1; before !== absent.size;) {
    before = absent.size;
    for (const node of types)
      if (node.kind === Kind.UNION_TYPE_DEFINITION && restrictUnion(node, absent).types?.length === 0)
        absent.add(nameOf(node));
    for (const node of shapes) {
      const isEmpty = membersOf(restrictShape(node, absent, visibility)).length === 0;
      if (isEmpty && !rootNames.has(nameOf(node))) absent.add(nameOf(node));
    }
  }
  return absent;
};

const restrictUnion = (
  node: UnionTypeDefinitionNode,
  absent: ReadonlySet<string>,
): UnionTypeDefinitionNode => ({
  ...node,
  types: (node.types ?? []).filter(({ name }) => !absent.has(name.value)),
});

const rootNames: ReadonlySet<string> = new Set(['Query', 'Mutation']);

const isPermitted = (node: ShapeNode, visibility: Visibility): boolean => {
  const { collection } = directivesOf(node);
  return collection === undefined || namesIn(node, visibility) !== null;
};

/** Returns the names that the caller may use in a type, or null for none. */
const namesIn = (node: ShapeNode, visibility: Visibility): ReadonlySet<string> | '*' | null => {
  const { collection = '', action } = directivesOf(node);
  if (action !== 'relate') return visibility.visibleNames(collection, action as Action);
  const names = (['create', 'update'] as const).map((each) => visibility.visibleNames(collection, each));
  const isHidden =
    names.every((each) => each === null) && visibility.visibleNames(collection, 'read') === null;
  if (isHidden) return null;
  return names.includes('*') ? '*' : new Set(names.flatMap((each) => Array.from(each ?? [])));
};

const membersOf = ({ fields = [] }: ShapeNode): readonly MemberNode[] => fields;

const restrictShape = (node: ShapeNode, absent: ReadonlySet<string>, visibility: Visibility): ShapeNode => {
  const isKept = createFieldFilter(node, visibility);
  const fields = membersOf(node).flatMap((field) => {
    const member = isKept(field) ? restrictMember(field, absent) : null;
    return member === null ? [] : [member];
  });
  const nullable = makeNullable(fields, node, visibility);
  return { ...node, fields: nullable } as ShapeNode;
};

/** Names of operators in filters, which every caller keeps. */
const logicNames: ReadonlySet<string> = new Set(
  ['and', 'or', 'some', 'none', 'null', 'nnull', 'eq', 'neq', 'in', 'nin'].map((name) => `_${name}`),
);

const createFieldFilter = (node: ShapeNode, visibility: Visibility): ((field: MemberNode) => boolean) => {
  const { collection, action } = directivesOf(node);
  if (collection === undefined) return (field) => isRootPermitted(field, visibility);
  const names = namesIn(node, visibility);
  const isFilter = node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION && action === 'read';
  return (field) => {
    const {
      call,
      name = call ?? field.name.value,
      requires = name,
      access,
      collection: needed,
      action: use,
      key,
    } = directivesOf(field);
    if (key !== undefined) return true;
    if (access === 'admin') return false;
    if (needed !== undefined && !isOffered(needed, use, visibility)) return false;
    return names === '*' || names?.has(requires) === true || (isFilter && logicNames.has(field.name.value));
  };
};

const isRootPermitted = (field: MemberNode, visibility: Visibility): boolean => {
  const { collection, action, access } = directivesOf(field);
  if (!isVisibleAt(access, visibility.level)) return false;
  return collection === undefined || isOffered(collection, action, visibility);
};

/** Returns whether the caller has a permission that an action on a collection requires; by default that to read it. */
const isOffered = (collection: string, action: string | undefined, visibility: Visibility): boolean =>
  [neededActions[action ?? ''] ?? 'read']
    .flat()
    .some((needed) => visibility.visibleNames(collection, needed) !== null);

/**
 * Returns the field as it is when its type is absent: a relation has the type of its foreign key, and a write returns
 * `true`. Any other field of an absent type is removed (null).
 */
const restrictMember = (field: MemberNode, absent: ReadonlySet<string>): MemberNode | null => {
  const member = 'arguments' in field ? withArguments(field, absent) : field;
  if (!absent.has(typeName(field.type))) return member;
  const { otherwise, action } = directivesOf(field);
  if (otherwise === undefined) {
    const isWrite = action !== undefined && member.kind === Kind.FIELD_DEFINITION;
    return isWrite ? { ...member, type: namedType('Boolean') } : null;
  }
  if (absent.has(otherwise)) return null;
  return {
    ...member,
    ...('arguments' in member && { arguments: [] }),
    type: withTypeName(member.type, otherwise),
  };
};

/** Replaces the named type; a required value stays required. */
const withTypeName = (type: TypeNode, name: string): TypeNode =>
  type.kind === Kind.NON_NULL_TYPE ? { ...type, type: namedType(name) } : namedType(name);

const withArguments = (field: FieldDefinitionNode, absent: ReadonlySet<string>): FieldDefinitionNode => ({
  ...field,
  arguments: (field.arguments ?? []).filter((argument) => !absent.has(typeName(argument.type))),
});

/** Makes fields nullable that a rule can hide in some rows, or that a preset fills in. */
const makeNullable = (
  fields: readonly MemberNode[],
  node: ShapeNode,
  visibility: Visibility,
): readonly MemberNode[] => {
  const { collection, action } = directivesOf(node);
  if (collection === undefined || action === undefined) return fields;
  const names =
    action === 'read'
      ? visibility.conditionalNames(collection)
      : action === 'relate'
        ? noNames
        : visibility.presetNames(collection, action as Action);
  if (names.size === 0) return fields;
  return fields.map((field) =>
    names.has(directivesOf(field).name ?? field.name.value) && field.type.kind === Kind.NON_NULL_TYPE
      ? { ...field, type: field.type.type }
      : field,
  );
};

const noNames: ReadonlySet<string> = new Set();

const namedType = (name: string): NamedTypeNode => ({
  kind: Kind.NAMED_TYPE,
  name: { kind: Kind.NAME, value: name },
});

/** Returns the name of a type without `!` and `[]`. */
export const typeName = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : typeName(type.type);

/** Adds a placeholder field to an empty query type, which GraphQL does not allow; removes an empty mutation type. */
const withQuery = (types: readonly DefinitionNode[]): readonly DefinitionNode[] =>
  types.flatMap((node): readonly DefinitionNode[] => {
    if (!isShape(node) || !rootNames.has(nameOf(node)) || membersOf(node).length > 0) return [node];
    return nameOf(node) === 'Query' ? emptyQuery : [];
  });

const emptyQuery: readonly DefinitionNode[] = [
  {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    name: { kind: Kind.NAME, value: 'Query' },
    fields: [
      { kind: Kind.FIELD_DEFINITION, name: { kind: Kind.NAME, value: '_empty' }, type: namedType('Void') },
    ],
  },
  { kind: Kind.SCALAR_TYPE_DEFINITION, name: { kind: Kind.NAME, value: 'Void' } },
];

const filterReachable = (types: readonly DefinitionNode[]): readonly DefinitionNode[] => {
  const byName = new Map(types.map((node) => [nameOf(node), node]));
  const seen = new Set<string>(rootNames);
  // a Set also iterates over entries that are added during the loop
  for (const name of seen) {
    const node = byName.get(name);
    if (node?.kind === Kind.UNION_TYPE_DEFINITION)
      for (const type of node.types ?? []) seen.add(typeName(type));
    if (node === undefined || !isShape(node)) continue;
    for (const field of membersOf(node)) {
      seen.add(typeName(field.type));
      if ('arguments' in field) for (const { type } of field.arguments ?? []) seen.add(typeName(type));
    }
  }
  return types.filter((node) => seen.has(nameOf(node)));
};
