/** Creates the error that lists the problems of a document or its variables. */
import type { GraphQLError } from 'graphql';
import { apiError, type ApiError } from '../../contract/errors.js';

interface DocumentProblem {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
}

/** Creates a GRAPHQL_VALIDATION error; it is thrown before anything is executed. */
export const invalidDocument = (...problems: readonly DocumentProblem[]): ApiError =>
  apiError('GRAPHQL_VALIDATION', { errors: problems }, problems.map(trimPeriod).join('; '));

const trimPeriod = ({ message }: DocumentProblem): string => message.replace(/\.$/, '');

/** Truncates quoted texts to 80 characters, because graphql-js repeats them in full. */
const shorten = (message: string): string =>
  message.replaceAll(/("(?:[^"\\]|\\.){80})(?:[^"\\]|\\.)+"/gs, '$1…"');

/** Converts errors of graphql-js. */
export const toValidationError = (errors: readonly GraphQLError[]): ApiError =>
  invalidDocument(
    ...errors.map(({ message, locations }) => ({
      message: shorten(message),
      ...(locations !== undefined && {
        locations: locations.map(({ line, column }) => ({ line, column })),
      }),
    })),
  );
