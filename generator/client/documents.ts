/**
 * Creates a document for every root field of a schema: arguments as variables, the result without nested
 * relations.
 */
import {
  getNamedType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedOutputType,
  type GraphQLSchema,
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

/** Selects every scalar field, and of an object only its key. */
const selectFields = (type: GraphQLNamedOutputType): string => {
  if (!isObjectType(type)) return '';
  const names = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner)) return [field.name];
    const ids = Object.values(inner.getFields()).filter(({ type }) => String(type) === 'ID!');
    return ids.length === 0 || isListType(field)
      ? []
      : [`${field.name} { ${ids.map((id) => id.name).join(' ')} }`];
  });
  return names.length === 0 ? '__typename' : names.join(' ');
};

const isListType = ({ type }: GraphQLField<unknown, unknown>): boolean => String(type).startsWith('[');
