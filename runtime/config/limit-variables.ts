/** Variables that limit requests and answers. */
import { parseDuration, parseSize, parseInteger, type Variable } from './values.js';

export const limitVariables = {
  QUERY_LIMIT_DEFAULT: {
    parse: parseInteger(-1),
    default: '100',
    meaning: 'items of a list without `limit`',
  },
  QUERY_LIMIT_MAX: {
    parse: parseInteger(-1),
    default: '-1',
    meaning: 'maximum of `limit`; `-1` for none',
  },
  QUERY_LIMIT_MAX_PUBLIC: {
    parse: parseInteger(-1),
    default: '1000',
    meaning: 'maximum of `limit` for unauthenticated callers; `-1` for none',
  },
  QUERY_ROWS_MAX: {
    parse: parseInteger(-1),
    default: '100000',
    meaning: 'items of all nested lists of one answer; `-1` for no maximum',
  },
  QUERY_ROWS_MAX_PUBLIC: {
    parse: parseInteger(-1),
    default: '10000',
    meaning: 'the same for unauthenticated callers',
  },
  ANSWER_BYTES_MAX: {
    parse: parseSize,
    default: '256mb',
    meaning:
      'memory of all answers that a process prepares or sends at a time; a caller gets a quarter of it',
  },
  IMPORT_MAX_SIZE: {
    parse: parseSize,
    default: '1gb',
    meaning: 'maximum size of the file of an import',
  },
  REQUEST_QUEUE_MAX: {
    parse: parseInteger(0),
    default: '1000',
    meaning: 'requests that wait for the database in a process; further ones get 503',
  },
  REQUEST_QUEUE_WAIT: {
    parse: parseDuration,
    default: '5s',
    meaning: 'how long such a request waits before it gets 503',
  },
  MAX_RELATIONAL_DEPTH: {
    parse: parseInteger(1, 100),
    default: '10',
    meaning: 'maximum depth of relations in `fields`, `filter` and `sort`',
  },
} as const satisfies Readonly<Record<string, Variable>>;
