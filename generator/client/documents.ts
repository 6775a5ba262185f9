/**
 * Creates a document for every root field of a schema: arguments as variables, the result without nested
 * relations.
 */
import {
  getNamedType,
  isObjectType,
  isUnionType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
} from 'graphql';

export interface RootDocument {
  /** Operation name: that of the root field, except for a mutation that shares its name with a query. */
  readonly name: string;
  readonly kind: 'query' | 'mutation';
  readonly text: string;
}

/**
 * Returns the documents of all queries, then of all mutations, in the order of the schema. Names that both
 * have are numbered.
 */
export const rootDocuments = (schema: GraphQLSchema): readonly RootDocument[] => {
  const usedNames = new Set<string>();
  return (['query', 'mutation'] as const).flatMap((kind) => {
    const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(root?.getFields() ?? {}).map((field) =>
      printDocument(kind, field, freeName(field.name, usedNames)),
    );
  });
};

/** Returns a free name: operation names are unique across kinds, root fields only within one. */
const freeName = (name: string, usedNames: Set<string>): string => {
  const free = usedNames.has(name) ? freeName(`${name}_`, usedNames) : name;
  usedNames.add(free);
  return free;
};

const printDocument = (
  kind: RootDocument['kind'],
  field: GraphQLField<unknown, unknown>,
  operation: string,
): RootDocument => {
  const { name, args, type } = field;
  const variables = args.map((arg) => `$${arg.name}: ${printType(arg)}`).join(', ');
  const values = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const selection = printSelection(getNamedType(type));
  const text = `${kind} ${operation}${enclose(variables)} { ${name}${enclose(values)}${selection} }`;
  return { name: operation, kind, text };
};

/** Prints the type of an argument; one with a default is optional. */
const printType = ({ type, defaultValue }: GraphQLArgument): string =>
  defaultValue === undefined ? String(type) : String(type).replace(/!$/, '');

const enclose = (list: string): string => (list === '' ? '' : `(${list})`);

const printSelection = (type: GraphQLNamedOutputType): string =>
  isObjectType(type) ? ` { ${selectFields(type)} }` : '';

/** Selects every scalar field, and of an object, or each object of a union, only its key. */
const selectFields = (type: GraphQLNamedOutputType): string => {
  if (!isObjectType(type)) return '';
  const names = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner) && !isUnionType(inner)) return [field.name];
    const key = isListType(field) ? null : selectKey(inner);
    return key === null ? [] : [`${field.name} ${key}`];
  });
  return names.length === 0 ? '__typename' : names.join(' ');
};

/** Returns a selection of the key, of each type of a union, or null for a type without one. */
const selectKey = (type: GraphQLObjectType | GraphQLUnionType): string | null => {
  if (isUnionType(type)) {
    const members = type
      .getTypes()
      .map((each) => `... on ${each.name} ${selectKey(each) ?? '{ __typename }'}`);
    return `{ ${members.join(' ')} }`;
  }
  const keys = Object.values(type.getFields()).filter((field) => String(field.type) === 'ID!');
  return keys.length === 0 ? null : `{ ${keys.map(({ name }) => name).join(' ')} }`;
};

const isListType = ({ type }: GraphQLField<unknown, unknown>): boolean => String(type).startsWith('[');
