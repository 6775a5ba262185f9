/** Writes the index page: collections, filters, operations, models and errors. */
import type { Collection, ErrorEntry, Model, Operation, QueueModel } from '../../model/types.js';
import { code, codeBlock, link, page, paragraph, table, text } from '../../print/markdown.js';

export const contentsPage = ({ api, collections, operations, queueModels, errors }: Model): string =>
  page([
    `# ${text(api.title)}`,
    paragraph(api.description),
    `Version ${text(api.version)}. The same as a machine reads it: ${link('openapi.json', '../openapi.json')}.`,
    'The examples of these pages use the address of the server and the token of a user:',
    codeBlock('sh', 'URL=http://127.0.0.1:8080\nTOKEN=the-token-of-a-user'),
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
      : ['## Models of the queue', table(['Model', 'Does'], queueModels.map(queueModelRow))]),
    '## Errors',
    'A request that fails is answered `{"errors": [{"message", "extensions": {"code", …}}]}`, one entry for each problem.',
    table(['Code', 'Status', 'Message', 'Beside `code`'], errors.map(errorRow)),
  ]);

const filterText =
  'The parameter `filter` holds an object, as JSON or in brackets: `filter[title][_eq]=A`. A field takes the operators ' +
  'that its page lists, a relation the filter of the collection it leads to; a list may say `_some` or `_none` before ' +
  'it. `_and` and `_or` hold arrays of filters.';

const collectionRow = ({ name, path, note, names }: Collection): string[] => [
  link(name, `${names.file}.md`),
  path === null ? '' : code(path),
  note === null ? '' : text(note),
];

const operationTable = (operations: readonly Operation[]): string =>
  table(
    ['Request', 'Does', 'Who'],
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
  open: 'everybody',
  public: 'everybody',
  user: 'users',
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
