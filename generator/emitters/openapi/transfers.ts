/** Describes the import and the export of a collection, which run as requests of the queue. */
import type {
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { exportFormats } from '../../../contract/export-formats.js';
import { importFormats } from '../../../contract/import-formats.js';
import { closedObject, jsonBody, jsonContent } from './bodies.js';
import type { Subject } from './collection-operations.js';
import { errorRefs } from './errors.js';
import { conflictParameters } from './parameters.js';
import { submitParameters } from './queue.js';
import { parameterRef, ref } from './refs.js';
import { withoutTabs } from './text.js';

const parameter = (name: string, description: string, schema: SchemaObject): ParameterObject => ({
  name,
  in: 'query',
  description,
  schema,
});

const importParameters: readonly ParameterObject[] = [
  parameter('format', 'Format of the file; by default that of its `Content-Type`.', {
    type: 'string',
    enum: [...importFormats],
  }),
  parameter(
    'mapping',
    'JSON object of columns and fields: `{"Name":"title","Note":null}`; `null` leaves a column out.',
    { type: 'string' },
  ),
  parameter(
    'delimiter',
    'Separator of the cells of CSV.',
    withoutTabs({ type: 'string', enum: [',', ';', '\t', '|'] }),
  ),
  parameter(
    'on_error',
    'What happens at a row that cannot be stored: the import stops, or the row is reported and left out.',
    { type: 'string', enum: ['stop', 'report'], default: 'stop' },
  ),
  parameter('dry_run', 'Whether the rows are only checked; nothing is stored.', {
    type: 'string',
    enum: ['true', 'false'],
  }),
];

/** The parameters by the names of their components. */
export const transferParameters: Readonly<Record<string, ParameterObject>> = Object.fromEntries([
  ...importParameters.map((each) => [`import_${each.name}`, each] as const),
  ...submitParameters.map((each) => [each.name, each] as const),
]);

const importRefs: ReferenceObject[] = importParameters.map(({ name }) => parameterRef(`import_${name}`));
const submitRefs: ReferenceObject[] = submitParameters.map(({ name }) => parameterRef(name));

const file: SchemaObject = { type: 'string', format: 'binary' };

/**
 * Describes `POST /items/<collection>/import`, which takes a file as its body.
 */
export const importFile = (subject: Subject): OperationObject => ({
  ...describe(subject, 'import', {
    summary: `Import items of ${subject.name}`,
    description:
      'Stores the file and queues a request that creates an item for each row. Its result has the counts and the URL of the rejected rows.',
    parameters: [...importRefs, ...conflictParameters, ...submitRefs],
    requestBody: {
      required: true,
      content: {
        'text/csv': { schema: file },
        'application/json': { schema: { type: 'array', items: { type: 'object' } } },
        'application/x-ndjson': { schema: file },
      },
    },
  }),
  responses: submitted(subject, [400, 401, 403, 413, 415, 422, 429, 500, 503]),
});

/**
 * Describes `POST /items/<collection>/export`. Small lists are better read with `export` of the list itself.
 */
export const exportFile = (subject: Subject): OperationObject => ({
  ...describe(subject, 'export', {
    summary: `Export items of ${subject.name}`,
    description:
      'Queues a request that writes the list into a file. Its result has the number of rows and the URL of the file.',
    parameters: submitRefs,
    requestBody: jsonBody(
      closedObject(
        {
          format: { type: 'string', enum: [...exportFormats] },
          query: ref('schemas', `${subject.stem}Query`),
        },
        ['format'],
      ),
    ),
  }),
  responses: submitted(subject, [400, 401, 403, 413, 415, 422, 429, 500, 503]),
});

const describe = (
  { collection, stem }: Subject,
  id: string,
  parts: Omit<OperationObject, 'responses'>,
): Omit<OperationObject, 'responses'> => ({
  operationId: `${id}${stem}`,
  tags: [collection.name],
  ...parts,
});

const submitted = ({ context }: Subject, statuses: readonly number[]): ResponsesObject => ({
  200: {
    description: 'The request is queued.',
    content: jsonContent(ref('schemas', 'QueueSubmission')),
  },
  ...errorRefs(context.errors, statuses),
});
