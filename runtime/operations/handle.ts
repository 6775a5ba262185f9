/** Serves one call of an operation: reads the body, checks access, validates the input, and calls the handler. */
import type { Access } from '../access/access.js';
import type { Operations } from '../../generated/server/operations.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { refuseExport } from '../request/export.js';
import { decodeValue } from '../request/route.js';
import { openContext, type OpenedContext } from './context.js';
import type { Operation } from './declarations.js';
import type { Caller } from '../queue/requests/requests.js';
import type { FairQueue } from '../concurrency/fair-queue.js';
import { lazy } from '../concurrency/lazy.js';
import { networkOf } from '../network/ip.js';
import { readInput } from './input.js';
import { throwApiError } from '../queue/requests/api-errors.js';
import { requireCaller } from './require-caller.js';

export interface OperationCall {
  readonly operation: Operation;
  readonly request: ApiRequest;
  /** Raw path parameters in the order of `names`. */
  readonly segments: readonly string[];
  readonly names: readonly string[];
}

export interface HandleServices {
  readonly handlers: Operations;
  readonly access: Access;
  /** Bounds the requests that run and wait. */
  readonly admission: FairQueue;
  /** Identifies the caller by a key of the queue. */
  readonly identifyKey: (request: ApiRequest) => Promise<Caller>;
  /** Maximum size of an uploaded document in bytes. */
  readonly uploadMax: number;
}

/** Runs an operation and builds its response. @throws errors of access and of the operation */
export const handleOperation = async (
  { operation, request, segments, names }: OperationCall,
  { handlers, access, admission, uploadMax, identifyKey }: HandleServices,
): Promise<ApiResponse> => {
  const hasKey = operation.acceptsKey === true && isKey(request.headers.authorization);
  const keyCaller = hasKey ? lazy(() => identifyKey(request).catch(throwApiError)) : null;
  const takes = (parameter: string) => operation.parameters?.some(({ name }) => name === parameter) === true;
  const isTried = takes('dry_run');
  if (!takes('export')) refuseExport(request);
  const { context, reply } = openContext(request, { access, keyCaller, isTried });
  // a large body is read only from callers with access
  if (operation.upload === true) await requireCaller(operation, context);
  // read the body first: it can take long, and permissions must be checked after it has arrived
  if (operation.body !== undefined) await request.body(operation.upload === true ? uploadMax : undefined);
  if (operation.upload === true) await context.renew();
  const account = keyCaller === null ? await requireCaller(operation, context) : (await keyCaller()).account;
  const path = Object.fromEntries(names.map((name, index) => [name, decodeValue(segments[index] ?? '')]));
  const input = await readInput({ operation, path, uploadMax }, request);
  // the declarations and the interface are generated from the same spec, so the id is a member
  const handle = handlers[operation.id] as (input: unknown, context: unknown) => Promise<unknown>;
  const run = (): Promise<unknown> => handle(input, context);
  const caller = (): string => account ?? networkOf(request.address());
  const result = operation.withoutAdmission === true ? run() : admission.run(run, caller);
  return respond(operation, await result, reply);
};

const isKey = (header: unknown): boolean => typeof header === 'string' && /^Key /i.test(header);

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
  // an operation that answers in several formats prints the others itself
  if (Buffer.isBuffer(body)) return body;
  return contentType === 'application/json' ? JSON.stringify(body) : String(body);
};
