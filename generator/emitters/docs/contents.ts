/** Writes the index page: collections, filters, operations, models and errors. */
import type { Collection, ErrorEntry, Model, Operation, QueueModel } from '../../model/types.js';
import { code, codeBlock, link, page, paragraph, table, text } from '../../print/markdown.js';

/** Returns `docs/index.md`, which links every other page. */
export const contentsPage = ({ api, collections, operations, queueModels, errors }: Model): string =>
  page([
    `# ${text(api.title)}`,
    paragraph(api.description),
    `Version ${text(api.version)}. The same as an OpenAPI document: ${link('openapi.json', '../openapi.json')}.`,
    'The examples use these variables:',
    codeBlock('sh', 'URL=http://127.0.0.1:8080\nTOKEN=the-token-of-a-user\nKEY=the-api-key-of-a-user'),
    '## Collections',
    table(['Collection', 'Path', 'Note'], collections.map(collectionRow)),
    '## Filters',
    filterText,
    codeBlock(
      'json',
      '{ "_or": [{ "title": { "_starts_with": "A" } }, { "author": { "name": { "_eq": "Ann" } } }] }',
    ),
    ...(operations.length === 0 ? [] : ['## Operations', operationTable(operations)]),
    ...(queueModels.length === 0
      ? []
      : ['## Queue models', table(['Model', 'Description'], queueModels.map(queueModelRow))]),
    '## Errors',
    'A failed request returns `{"errors": [{"message", "extensions": {"code", …}}]}`, with one entry per problem.',
    table(['Code', 'Status', 'Message', 'Details'], errors.map(errorRow)),
  ]);

const filterText =
  'The parameter `filter` is an object, as JSON or in brackets: `filter[title][_eq]=A`. A field has the operators that ' +
  'its page lists; a relation has the filter of the related collection, for lists optionally inside `_some` or `_none`. ' +
  '`_and` and `_or` contain arrays of filters.';

const collectionRow = ({ name, path, note, names }: Collection): string[] => [
  link(name, `${names.file}.md`),
  path === null ? '' : code(path),
  note === null ? '' : text(note),
];

const operationTable = (operations: readonly Operation[]): string =>
  table(
    ['Request', 'Description', 'Access'],
    operations.map(({ method, path, summary, access }) => [
      code(`${method.toUpperCase()} ${path}`),
      text(summary),
      audiences[access],
    ]),
  );

const queueModelRow = ({ id, description, names }: QueueModel): string[] => [
  link(id, `models/${names.file}.md`),
  text(description),
];

const audiences: Readonly<Record<Operation['access'], string>> = {
  open: 'public',
  public: 'public',
  user: 'users',
  operator: 'operators',
  admin: 'administrators',
};

const errorRow = ({ code: name, status, message, details }: ErrorEntry): string[] => [
  code(name),
  String(status),
  text(message),
  Object.entries(details)
    .map(([key, holds]) => `${code(key)}: ${text(holds)}`)
    .join('; '),
];
