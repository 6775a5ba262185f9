/**
 * Runs the spec's operations for the fields of `/graphql/system`, with the handlers of REST and arguments in place of
 * a request.
 */
import type { GraphQLField } from 'graphql';
import type { Operations } from '../../generated/server/operations.js';
import type { OperationContext } from '../operations/context.js';
import { findDeclaration, type Operation } from '../operations/declarations.js';
import { checkInput } from '../operations/input.js';
import { requireCaller } from '../operations/require-caller.js';
import { directivesOf, type FieldDirectives } from './directives.js';
import type { Arguments } from './arguments.js';

export interface OperationHandlers {
  /** Loads the handlers on first use. */
  loadHandlers(): Promise<Operations>;
}

interface OperationCall {
  readonly field: GraphQLField<unknown, unknown>;
  readonly args: Arguments;
}

/** Runs the operation of a field and returns its value before selection. */
export const runOperation = async (
  { field, args }: OperationCall,
  context: OperationContext,
  { loadHandlers }: OperationHandlers,
): Promise<unknown> => {
  const directives = directivesOf(field.astNode);
  const operation = findDeclaration(directives.operation ?? '');
  if (operation === undefined) throw new Error(`there is no operation "${directives.operation}"`);
  await requireCaller(operation, context);
  const input = await checkInput(operation, toInput(field, args));
  // the declarations and the interface are generated from the same spec, so the id is a member
  const handle = (await loadHandlers())[operation.id] as (
    input: unknown,
    context: unknown,
  ) => Promise<unknown>;
  return unwrapOutput(operation, await handle(input, context), directives);
};

/** Builds the input of the operation: parameters by name, and `body` with the arguments that REST has in the body. */
const toInput = (field: GraphQLField<unknown, unknown>, args: Arguments): Arguments => {
  const parameters: Record<string, unknown> = {};
  const { model } = directivesOf(field.astNode);
  const body: Record<string, unknown> = model === undefined ? {} : { model };
  for (const { name, astNode } of field.args) {
    const directives = directivesOf(astNode);
    const value = args[name];
    if (value === undefined) continue;
    (directives.in === 'body' ? body : parameters)[directives.name ?? name] = value;
  }
  return { ...parameters, body };
};

/**
 * Returns the value of an output: its `body` if the operation has several statuses, one property if the schema names
 * it, and `true` if there is no output.
 */
const unwrapOutput = ({ responses }: Operation, output: unknown, { open }: FieldDirectives): unknown => {
  const hasStatus = Object.keys(responses).length > 1;
  const body = hasStatus ? (output as { readonly body: unknown }).body : output;
  if (body === undefined || body === null) return true;
  return open === undefined ? body : (body as Arguments)[open];
};
