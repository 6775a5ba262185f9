/** Reads `spec/operations/<area>.yaml`. */
import type {
  JsonSchema,
  NamedSchema,
  Operation,
  OperationField,
  OperationParameter,
  OperationResponse,
} from '../model/types.js';
import { faultAt } from './faults.js';
import {
  entriesOf,
  flag,
  listOf,
  mapOf,
  nullable,
  oneOf,
  optional,
  record,
  required,
  text,
  textLike,
  type Read,
} from './read.js';
import { checkOperation, type LocatedOperation } from './operation-checks.js';
import type { Position, SpecFault } from './types.js';
import { nodeToData, positionIn, type Node } from './yaml.js';

const schema: Read<JsonSchema> = (node, faults) => {
  entriesOf(node, faults);
  return node.kind === 'map' ? (nodeToData(node) as JsonSchema) : {};
};

const parameterKeys = record<OperationParameter>({
  name: required(text),
  in: required(oneOf(['path', 'query', 'header'])),
  required: optional(flag, false),
  description: required(text),
  schema: required(schema),
});

/** Reads a path parameter, which is always required. */
const parameter: Read<OperationParameter> = (node, faults) => {
  const read = parameterKeys(node, faults);
  return { ...read, required: read.required || read.in === 'path' };
};

const response = record<Omit<OperationResponse, 'status'>>({
  description: required(text),
  contentType: optional<string | null>(nullable(text), null),
  schema: optional<JsonSchema | null>(nullable(schema), null),
  downloads: optional(listOf(text)),
});

const responses: Read<readonly OperationResponse[]> = (node, faults) => {
  const byStatus = mapOf(({ position, value }, key, faults) => {
    if (!/^[1-5]\d\d$/.test(key)) {
      faults.push(faultAt(position, `"${key}" is not a status`, 'write a number from 100 to 599'));
    }
    return { status: Number(key), ...response(value, faults) };
  })(node, faults);
  if (node.kind === 'map' && byStatus.size === 0) {
    faults.push(faultAt(node.position, 'there is no response', 'describe at least the status of success'));
  }
  return [...byStatus.values()].sort((a, b) => a.status - b.status);
};

const fieldName = textLike(/^(?!__)[_A-Za-z]\w*$/, 'a GraphQL name', 'write it as in "things_do"');

const fieldKeys = record<OperationField>({
  query: optional(fieldName),
  mutation: optional(fieldName),
  own: optional(text),
});

const graphqlField: Read<OperationField> = (node, faults) => {
  const field = fieldKeys(node, faults);
  if (node.kind === 'map' && (field.query === undefined) === (field.mutation === undefined)) {
    const remedy = 'write { query: name } or { mutation: name }';
    faults.push(faultAt(node.position, 'a GraphQL field is either a query or a mutation', remedy));
  }
  return field;
};

const path = textLike(/^(\/([\w.-]+|\{\w+\}))+$/, 'a path', 'write it as in "/things/{id}"');

const operationKeys = record<Omit<Operation, 'id' | 'tag' | 'own' | 'served'> & { tag?: string }>({
  summary: required(text),
  tag: optional(text),
  method: required(oneOf(['get', 'post', 'put', 'patch', 'delete'])),
  path: required(path),
  access: required(oneOf(['open', 'public', 'user', 'operator', 'admin'])),
  withoutSession: optional(flag, false),
  beforeSecondFactor: optional(flag, false),
  startsLogin: optional(flag, false),
  withoutAdmission: optional(flag, false),
  acceptsKey: optional(flag, false),
  upload: optional(flag, false),
  file: optional<string | null>(text, null),
  parameters: optional<readonly OperationParameter[]>(listOf(parameter), []),
  body: optional<JsonSchema | null>(nullable(schema), null),
  graphql: optional<OperationField | null>(nullable(graphqlField), null),
  responses: required(responses),
  errors: optional<readonly string[]>(listOf(text), []),
});

/** A file of operations; `types` are schemas with a name in generated code. */
interface OperationsFile {
  readonly tag: string;
  readonly operations: ReadonlyMap<string, LocatedOperation>;
  readonly types: ReadonlyMap<string, LocatedType>;
}

/** A named schema with its position. */
interface LocatedType {
  readonly schema: JsonSchema;
  readonly position: Position;
}

const operationsFile = record<OperationsFile>({
  tag: required(text),
  types: optional<OperationsFile['types']>(
    mapOf(({ position, value }, name, faults) => {
      if (!/^[A-Z][A-Za-z0-9]*$/.test(name)) {
        faults.push(faultAt(position, `"${name}" cannot be the name of a type`, 'write it as in "Session"'));
      }
      return { schema: schema(value, faults), position };
    }),
    new Map(),
  ),
  operations: required(
    mapOf(({ position, value }, id, faults) => {
      if (!/^[a-z][A-Za-z0-9]*$/.test(id)) {
        faults.push(faultAt(position, `"${id}" cannot be an operation id`, 'write it as in "serverPing"'));
      }
      const operation = { tag: '', own: true, served: true, ...operationKeys(value, faults), id };
      const positionOf = (...path: readonly string[]): Position =>
        (path.length === 0 ? undefined : positionIn(value, path)) ?? position;
      const placed = { operation, positionOf };
      checkOperation(placed, faults);
      return placed;
    }),
  ),
});

/** Contents of one file. */
export interface ReadOperations {
  readonly operations: readonly LocatedOperation[];
  readonly types: OperationsFile['types'];
}

/** Ids of operations by who declares them. */
interface OperationOrigins {
  /** Declared by the package, which has handlers for them. */
  readonly served: ReadonlySet<string>;
  /** Added or extended by a team. */
  readonly changed: ReadonlySet<string>;
}

/** Reads one merged file. */
export const readOperations = (
  node: Node,
  { served, changed }: OperationOrigins,
  faults: SpecFault[],
): ReadOperations => {
  const { tag, operations, types } = operationsFile(node, faults);
  const tagged = [...operations.values()].map(({ operation, positionOf }) => ({
    operation: {
      ...operation,
      tag: operation.tag === '' ? tag : operation.tag,
      own: !changed.has(operation.id),
      served: served.has(operation.id),
    },
    positionOf,
  }));
  return { operations: tagged, types };
};

/** Joins the named schemas of all files, sorted; a name that two files use is a fault. */
export const joinTypes = (
  files: readonly Pick<ReadOperations, 'types'>[],
  faults: SpecFault[],
): readonly NamedSchema[] => {
  const joined = new Map<string, LocatedType>();
  for (const [name, type] of files.flatMap(({ types }) => [...types])) {
    const first = joined.get(name);
    if (first === undefined) joined.set(name, type);
    else {
      const { file, line } = first.position;
      faults.push(
        faultAt(type.position, `the type "${name}" is named twice`, `it is at ${file}:${line} already`),
      );
    }
  }
  return [...joined]
    .map(([name, { schema }]) => ({ name, schema }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};
