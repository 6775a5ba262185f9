/** Parses the options of an import or export request. All problems are reported together. */
import { apiError, invalidQuery, throwProblems, type ApiError } from '../../contract/errors.js';
import { exportFormats, type ExportFormat } from '../../contract/export-formats.js';
import { importFormats, type ImportFormat } from '../../contract/import-formats.js';
import { parseJson } from '../../contract/json.js';
import type { ApiRequest } from '../request/api-request.js';
import { readJson } from '../request/body.js';
import { readDryRun, refuseDryRun } from '../request/dry-run.js';
import { readOnConflict } from '../request/on-conflict.js';
import { levelParameters, readQuery } from '../request/query.js';
import type { ExportInput, ImportInput } from './input.js';
import { delimiters } from './source/csv.js';
import type { Mapping } from './source/payload.js';

export type ImportOptions = Omit<ImportInput, 'collection' | 'size' | 'sha256' | 'address'>;

const formatsByType: ReadonlyMap<string, ImportFormat> = new Map([
  ['text/csv', 'csv'],
  ['application/vnd.ms-excel', 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
]);

/** Returns the format of a file. @throws UNSUPPORTED_MEDIA_TYPE */
export const formatOf = (contentType: string, where: string): ImportFormat => {
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const format = formatsByType.get(mediaType);
  if (format !== undefined) return format;
  throw apiError(
    'UNSUPPORTED_MEDIA_TYPE',
    { mediaType, where },
    `"${mediaType}" is not an import format; send text/csv, application/json or application/x-ndjson`,
  );
};

/** Parameters of the create that stores the rows. */
const writeParameters = ['on_conflict', 'conflict'];

/** Reads the options of an import from the query string and headers. @throws INVALID_QUERY, UNSUPPORTED_MEDIA_TYPE */
export const readImportOptions = ({ query, headers }: ApiRequest): ImportOptions => {
  const parameters = new URLSearchParams(query);
  const problems: ApiError[] = [];
  const collect = <Value>(read: () => Value, fallback: Value): Value => {
    try {
      return read();
    } catch (error) {
      problems.push(error as ApiError);
      return fallback;
    }
  };
  const options: ImportOptions = {
    format: collect(
      () => readFormat(parameters.get('format'), String(headers['content-type'] ?? '')),
      'csv' as ImportFormat,
    ),
    mapping: collect(() => readMapping(parameters.get('mapping')), {}),
    delimiter: collect(() => readDelimiter(parameters.get('delimiter')), ','),
    on_error: collect(() => readOnError(parameters.get('on_error')), 'stop'),
    dry_run: collect(() => readDryRun(query), false),
    query: collect(() => readWriteQuery(parameters), ''),
  };
  throwProblems(problems);
  return options;
};

const readFormat = (given: string | null, contentType: string): ImportFormat => {
  if (given === null) return formatOf(contentType, 'Content-Type header');
  const format = importFormats.find((each) => each === given);
  if (format !== undefined) return format;
  throw invalidQuery(`"format" takes ${importFormats.join(', ')}, not "${given}"`);
};

const readMapping = (text: string | null): Mapping => {
  if (text === null) return {};
  const mapping = parseJson(text);
  const isMapping =
    typeof mapping === 'object' &&
    mapping !== null &&
    !Array.isArray(mapping) &&
    Object.values(mapping).every((field) => field === null || (typeof field === 'string' && field !== ''));
  if (isMapping) return mapping as Mapping;
  throw invalidQuery(
    '"mapping" takes a JSON object of columns and fields, such as {"Name":"title","Note":null}',
  );
};

const readDelimiter = (text: string | null): string => {
  if (text === null) return ',';
  if ((delimiters as readonly string[]).includes(text)) return text;
  throw invalidQuery('"delimiter" takes one of , ; | and tab');
};

const readOnError = (text: string | null): ImportInput['on_error'] => {
  if (text === null || text === 'stop') return 'stop';
  if (text === 'report') return 'report';
  throw invalidQuery('"on_error" takes "stop" or "report"');
};

/** Returns the parameters of the create. @throws INVALID_QUERY */
const readWriteQuery = (parameters: URLSearchParams): string => {
  const kept = new URLSearchParams();
  for (const name of writeParameters) for (const value of parameters.getAll(name)) kept.append(name, value);
  const query = kept.toString();
  readOnConflict(query);
  return query;
};

export type ExportOptions = Omit<ExportInput, 'collection' | 'address'>;

/** Reads `{format, query?}`. @throws INVALID_QUERY, as a list does for its query */
export const readExportOptions = async (request: ApiRequest): Promise<ExportOptions> => {
  refuseDryRun(request);
  return toExportOptions(await readJson(request));
};

/** Parameters of a list; without them, an export would write more than was asked for. */
const listParameters: ReadonlySet<string> = new Set(['fields', 'deep', ...levelParameters]);

/** Reads the options of an export from a body. @throws INVALID_QUERY */
export const toExportOptions = (body: unknown): ExportOptions => {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidQuery('an export takes {"format": "csv", "query": {…}}');
  const { format, query = {} } = body as Record<string, unknown>;
  const problems: ApiError[] = [];
  const misplaced = Object.keys(body).find((name) => listParameters.has(name));
  if (misplaced !== undefined)
    problems.push(
      invalidQuery(`"${misplaced}" is a part of "query": {"format": "csv", "query": {"${misplaced}": …}}`),
    );
  const known = exportFormats.find((each) => each === format);
  if (known === undefined) problems.push(invalidQuery(`"format" takes ${exportFormats.join(', ')}`));
  if (typeof query !== 'object' || query === null || Array.isArray(query))
    problems.push(invalidQuery('"query" takes an object, as in the body of SEARCH'));
  throwProblems(problems);
  readQuery(query as Record<string, unknown>);
  return { format: known as ExportFormat, query: query as Record<string, unknown> };
};
