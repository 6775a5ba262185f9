/** What is wrong with a document or its variables, in one error with a list. */
import type { GraphQLError } from 'graphql';
import { apiError, type ApiError } from '../../contract/errors.js';

interface DocumentProblem {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
}

/** GRAPHQL_VALIDATION: nothing was run. */
export const invalidDocument = (...problems: readonly DocumentProblem[]): ApiError =>
  apiError('GRAPHQL_VALIDATION', { errors: problems }, problems.map(withoutMark).join('; '));

const withoutMark = ({ message }: DocumentProblem): string => message.replace(/[.?]$/, '');

/** The library repeats texts that it was given whole, however long they are: their beginning says which they were. */
const shorten = (message: string): string =>
  message.replaceAll(/("(?:[^"\\]|\\.){80})(?:[^"\\]|\\.)+"/gs, '$1…"');

export const invalidBy = (errors: readonly GraphQLError[]): ApiError =>
  invalidDocument(
    ...errors.map(({ message, locations }) => ({
      message: shorten(message),
      ...(locations !== undefined && {
        locations: locations.map(({ line, column }) => ({ line, column })),
      }),
    })),
  );
