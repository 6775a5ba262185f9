/** Describes error responses: one per status, from the error table. */
import type { ExampleObject, ReferenceObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import type { ErrorEntry } from '../../model/types.js';
import { ref } from './refs.js';

/** All errors that share a status. */
export interface ErrorStatus {
  /** Name of the response component. */
  readonly name: string;
  readonly entries: readonly ErrorEntry[];
}

const names: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [410, 'Gone'],
  [412, 'PreconditionFailed'],
  [413, 'ContentTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'UnprocessableContent'],
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
  [503, 'ServiceUnavailable'],
]);

/** Groups the error table by status, in ascending order; each status becomes one named response. */
export const errorStatuses = (errors: readonly ErrorEntry[]): ReadonlyMap<number, ErrorStatus> => {
  const statuses = [...new Set(errors.map((entry) => entry.status))].sort((a, b) => a - b);
  return new Map(
    statuses.map((status) => [
      status,
      {
        name: names.get(status) ?? `Error${status}`,
        entries: errors.filter((entry) => entry.status === status),
      },
    ]),
  );
};

/** Returns references to the responses of those statuses that the error table contains. */
export const errorRefs = (
  errors: ReadonlyMap<number, ErrorStatus>,
  statuses: readonly number[],
): Record<string, ReferenceObject> =>
  Object.fromEntries(
    statuses.flatMap((status) => {
      const found = errors.get(status);
      return found === undefined ? [] : [[status, ref('responses', found.name)] as const];
    }),
  );

/**
 * Describes the named responses. 400 lists FORBIDDEN too, because an answer with problems of several statuses
 * has 400.
 */
export const errorResponses = (errors: ReadonlyMap<number, ErrorStatus>): Record<string, ResponseObject> => {
  const forbidden = errors.get(403)?.entries.filter(({ code }) => code === 'FORBIDDEN') ?? [];
  return Object.fromEntries(
    [...errors].map(([status, { name, entries }]) => [
      name,
      // several problems of different statuses are answered with 400
      errorResponse(entries, status === 400 ? [...entries, ...forbidden] : entries),
    ]),
  );
};

/** @param possible the errors that may be among several */
const errorResponse = (entries: readonly ErrorEntry[], possible: readonly ErrorEntry[]): ResponseObject => ({
  description: entries.map((entry) => `\`${entry.code}\`: ${entry.message}.`).join(' '),
  content: {
    'application/json': {
      schema: envelope(possible),
      examples: Object.fromEntries(entries.map((entry) => [entry.code, exampleOf(entry)])),
    },
  },
});

const envelope = (entries: readonly ErrorEntry[]): SchemaObject => ({
  type: 'object',
  properties: { errors: { type: 'array', minItems: 1, items: errorSchema(entries) } },
  required: ['errors'],
});

const errorSchema = (entries: readonly ErrorEntry[]): SchemaObject => ({
  type: 'object',
  properties: {
    message: { type: 'string' },
    extensions: {
      type: 'object',
      properties: {
        ...Object.fromEntries(
          entries.toReversed().flatMap((entry) => Object.entries(entry.details).map(detail)),
        ),
        code: { type: 'string', enum: entries.map((entry) => entry.code) },
      },
      required: ['code'],
    },
  },
  required: ['message', 'extensions'],
});

const detail = ([name, text]: [string, string]): [string, SchemaObject] => [name, { description: text }];

const exampleOf = ({ code, message }: ErrorEntry): ExampleObject => ({
  value: { errors: [{ message, extensions: { code } }] },
});
