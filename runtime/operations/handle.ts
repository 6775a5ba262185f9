/**
 * One call of an operation: the bytes of the body, identity, access, input, then the function that the spec
 * names.
 */
import type { Access } from '../access/access.js';
import type { Operations } from '../../generated/server/operations.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { decodeValue } from '../request/route.js';
import { openContext, type OpenedContext } from './context.js';
import type { Operation } from './declarations.js';
import { readInput } from './input.js';
import { requireCaller } from './require-caller.js';

export interface OperationCall {
  readonly operation: Operation;
  readonly request: ApiRequest;
  /** Raw path parameters in the order of `names`. */
  readonly segments: readonly string[];
  readonly names: readonly string[];
}

export interface HandleServices {
  readonly bodies: Operations;
  readonly access: Access;
}

/** @throws whatever keeps the caller out, and whatever the operation throws */
export const handleOperation = async (
  { operation, request, segments, names }: OperationCall,
  { bodies, access }: HandleServices,
): Promise<ApiResponse> => {
  const { context, reply } = openContext(request, access);
  // it may take its time: what the caller may do is asked when all of it is there
  if (operation.body !== undefined) await request.body();
  await requireCaller(operation, context);
  const path = Object.fromEntries(names.map((name, index) => [name, decodeValue(segments[index] ?? '')]));
  const input = await readInput({ operation, path }, request);
  // the table and the interface are printed from the same spec
  const body = bodies[operation.id] as (input: unknown, context: unknown) => Promise<unknown>;
  return respond(operation, await body(input, context), reply);
};

/** Builds the response; an operation with several statuses returns which one applies. */
const respond = (operation: Operation, output: unknown, reply: OpenedContext['reply']): ApiResponse => {
  const statuses = Object.keys(operation.responses);
  const isSingle = statuses.length === 1;
  const { status, body } = isSingle
    ? { status: Number(statuses[0]), body: output }
    : (output as { readonly status: number; readonly body: unknown });
  const contentType = operation.responses[status] ?? null;
  return {
    status,
    headers: {
      ...(contentType === null ? {} : { 'content-type': `${contentType}; charset=utf-8` }),
      ...reply.headers,
    },
    cookies: reply.cookies,
    body: contentType === null ? null : printBody(contentType, body),
  };
};

const printBody = (contentType: string, body: unknown): string | Buffer => {
  if (contentType === 'application/json') return JSON.stringify(body);
  return Buffer.isBuffer(body) ? body : String(body);
};
