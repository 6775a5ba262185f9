/** The spec's operations behind fields of `/graphql/system`: the bodies of REST, with arguments instead of a request. */
import type { GraphQLField } from 'graphql';
import type { Operations } from '../../generated/server/operations.js';
import type { OperationContext } from '../operations/context.js';
import { findDeclaration, type Operation } from '../operations/declarations.js';
import { checkInput } from '../operations/input.js';
import { requireCaller } from '../operations/require-caller.js';
import { directivesOf, type FieldDirectives } from './directives.js';
import type { Arguments } from './selection.js';

export interface OperationHandlers {
  /** Loaded when first needed. */
  loadBodies(): Promise<Operations>;
}

interface OperationCall {
  readonly field: GraphQLField<unknown, unknown>;
  readonly given: Arguments;
}

/** Runs the operation behind the field. @returns what its answer shows, before selection */
export const runOperation = async (
  { field, given }: OperationCall,
  context: OperationContext,
  { loadBodies }: OperationHandlers,
): Promise<unknown> => {
  const directives = directivesOf(field.astNode);
  const operation = findDeclaration(directives.operation ?? '');
  if (operation === undefined) throw new Error(`there is no operation "${directives.operation}"`);
  await requireCaller(operation, context);
  const input = await checkInput(operation, toInput(field, given));
  // the table and the interface are printed from the same spec
  const body = (await loadBodies())[operation.id] as (input: unknown, context: unknown) => Promise<unknown>;
  return openAnswer(operation, await body(input, context), directives);
};

/** Parameters by name, and `body` with what REST has there. */
const toInput = (field: GraphQLField<unknown, unknown>, given: Arguments): Arguments => {
  const parameters: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const { name, astNode } of field.args) {
    const directives = directivesOf(astNode);
    const value = given[name];
    if (value === undefined) continue;
    (directives.in === 'body' ? body : parameters)[directives.name ?? name] = value;
  }
  return { ...parameters, body };
};

/** Where REST has several statuses, the answer is in `body`; where it has none, `true` says that it is done. */
const openAnswer = ({ responses }: Operation, answer: unknown, { open }: FieldDirectives): unknown => {
  const hasStatus = Object.keys(responses).length > 1;
  const shown = hasStatus ? (answer as { readonly body: unknown }).body : answer;
  if (shown === undefined || shown === null) return true;
  return open === undefined ? shown : (shown as Arguments)[open];
};
