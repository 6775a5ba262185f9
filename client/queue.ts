/** Runs models through the queue, with the types of their input and output. */
import { QueueError } from './queue-error.js';
import type { QueueModels } from './queue-models.js';
import type { QueuedRequest, QueueStatus } from './queue-status.js';
import { follow, readEvents } from './queue-stream.js';
import { authorize, type CallOptions, type ClientOptions } from './transport.js';

/** The name of a model. */
export type ModelName = keyof QueueModels;

/** The input of a model. */
export type ModelInput<Name extends ModelName> = QueueModels[Name]['input'];

/** The output of a model. */
export type ModelOutput<Name extends ModelName> = QueueModels[Name]['output'];

export interface SubmitOptions extends CallOptions {
  /** URL that receives the result as a signed POST request. */
  readonly webhook?: string | undefined;
  /** A second submission with the same key and input returns the same request. */
  readonly idempotencyKey?: string | undefined;
  /** `low` starts after all requests with `normal`. */
  readonly priority?: 'normal' | 'low' | undefined;
  /** Seconds within which processing must start. */
  readonly startTimeout?: number | undefined;
  /** Rejects the request if more requests are waiting. */
  readonly maxQueueLength?: number | undefined;
  /** False to fail at once where an attempt fails because of the platform; true by default. */
  readonly retry?: boolean | undefined;
  /** False to delete input and result once the result is delivered; true by default. */
  readonly storeIo?: boolean | undefined;
  /** Seconds until files of the result are deleted. */
  readonly filesTtl?: number | undefined;
  /** Up to ten strings by key, for your own use. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface QueueOptions extends CallOptions {
  /** True to return log lines; false by default. */
  readonly logs?: boolean | undefined;
}

export interface SubscribeOptions extends SubmitOptions, QueueOptions {
  /** Called with the id of the request after it is submitted. */
  readonly onSubmit?: ((requestId: string) => void) | undefined;
  /** Called for every change of the status, with new log lines only. */
  readonly onUpdate?: ((status: QueueStatus) => void) | undefined;
}

export interface Queue {
  /**
   * Submits a request and returns immediately.
   * @throws QueueError
   */
  submit<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: SubmitOptions,
  ): Promise<QueuedRequest>;

  /**
   * Submits a request and waits for its result. Aborting the signal cancels the request.
   * @throws QueueError when the request is rejected or ends without a result
   */
  subscribe<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: SubscribeOptions,
  ): Promise<ModelOutput<Name>>;

  /** Returns the status. @throws QueueError with `NOT_FOUND` in its body when the caller has no such request */
  status(model: ModelName, requestId: string, options?: QueueOptions): Promise<QueueStatus>;

  /**
   * Yields the status and every change of it, with new log lines only, until the request has ended.
   * @throws QueueError
   */
  stream(model: ModelName, requestId: string, options?: QueueOptions): AsyncIterable<QueueStatus>;

  /** Returns the result. @throws QueueError with status 400 before the end; the error of a request without a result */
  result<Name extends ModelName>(
    model: Name,
    requestId: string,
    options?: CallOptions,
  ): Promise<ModelOutput<Name>>;

  /**
   * Cancels a request. `OK`: it was waiting and is removed; `CANCELLATION_REQUESTED`: it is running and will be stopped.
   * @throws QueueError with status 400 when it has already ended
   */
  cancel(
    model: ModelName,
    requestId: string,
    options?: CallOptions,
  ): Promise<'OK' | 'CANCELLATION_REQUESTED'>;

  /**
   * Runs a model without the queue and waits for its output. Nothing is stored or retried.
   * @throws QueueError
   */
  run<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: CallOptions,
  ): Promise<ModelOutput<Name>>;
}

/**
 * Creates `client.queue`: submit, poll, stream and cancel requests of models. Nothing is sent before the
 * first call.
 */
export const createQueue = (client: ClientOptions) => {
  const call = createQueueCall(client);
  const read = async <Answer>(path: string, options?: CallOptions): Promise<Answer> =>
    (await (await call({ path, ...options })).json()) as Answer;
  const open = async (path: string, options: CallOptions & Pick<QueueCall, 'headers'>) =>
    readEvents((await call({ path, ...options })).body as ReadableStream<Uint8Array>);

  const submit = async (model: string, input: object, options: SubmitOptions = {}) => {
    const path = `queue/${model}${queryOf(options)}`;
    const answer = await call({ path, body: input, headers: headersOf(options), signal: options.signal });
    return (await answer.json()) as QueuedRequest;
  };
  const stream = (model: string, id: string, { logs = false, signal }: QueueOptions = {}) =>
    follow(
      (lastEvent) => {
        const headers: Record<string, string> = lastEvent === null ? {} : { 'last-event-id': lastEvent };
        return open(`${pathOf(model, id)}/status/stream?logs=${Number(logs)}`, { signal, headers });
      },
      (error) => signal?.aborted === true || isFinal(error),
    );
  const result = (model: string, id: string, options?: CallOptions) =>
    read<unknown>(pathOf(model, id), options);
  const untilEnded = async (model: string, id: string, options: Omit<SubscribeOptions, 'onSubmit'> = {}) => {
    for await (const status of stream(model, id, options)) options.onUpdate?.(status);
    return result(model, id, { signal: options.signal });
  };
  const cancel = async (model: string, id: string, options?: CallOptions) => {
    const answer = await call({ path: `${pathOf(model, id)}/cancel`, method: 'PUT', ...options });
    return ((await answer.json()) as { status: 'OK' | 'CANCELLATION_REQUESTED' }).status;
  };

  return {
    submit,
    stream,
    result,
    untilEnded,
    cancel,
    status: (model: string, id: string, { logs = false, signal }: QueueOptions = {}) =>
      read<QueueStatus>(`${pathOf(model, id)}/status?logs=${Number(logs)}`, { signal }),
    async subscribe(model: string, input: object, options: SubscribeOptions = {}) {
      const { request_id: id } = await submit(model, input, options);
      try {
        options.onSubmit?.(id);
        return await untilEnded(model, id, options);
      } catch (error) {
        if (options.signal?.aborted === true) await cancel(model, id).catch(() => undefined);
        throw error;
      }
    },
    run: async (model: string, input: object, options?: CallOptions) =>
      (await (await call({ path: `run/${model}`, body: input, ...options })).json()) as unknown,
  };
};

const pathOf = (model: string, id: string): string => `queue/${model}/requests/${encodeURIComponent(id)}`;

/** Formats the parameters of a submission, with `?`; empty without any. */
export const queryOf = ({ webhook, maxQueueLength }: SubmitOptions): string => {
  const query = new URLSearchParams();
  if (webhook !== undefined) query.set('svc_webhook', webhook);
  if (maxQueueLength !== undefined) query.set('svc_max_queue_length', String(maxQueueLength));
  return query.size === 0 ? '' : `?${query.toString()}`;
};

/** Formats the headers of a submission. */
export const headersOf = (options: SubmitOptions): Record<string, string> => {
  const { idempotencyKey, priority, startTimeout, retry, storeIo, filesTtl, tags } = options;
  return {
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(priority !== undefined && { 'x-svc-queue-priority': priority }),
    ...(startTimeout !== undefined && { 'x-svc-request-start-timeout': String(startTimeout) }),
    ...(retry === false && { 'x-svc-no-retry': '1' }),
    ...(storeIo === false && { 'x-svc-store-io': '0' }),
    ...(filesTtl !== undefined && {
      'x-svc-object-lifecycle-preference': JSON.stringify({ expiration_duration_seconds: filesTtl }),
    }),
    ...(tags !== undefined && {
      'x-svc-tags': Object.entries(tags)
        .map(([key, value]) => `${key}=${value}`)
        .join(','),
    }),
  };
};

interface QueueCall extends CallOptions {
  /** Path relative to the URL of the API. */
  readonly path: string;
  readonly method?: 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. */
  readonly body?: object;
}

const createQueueCall = ({ url, token, key, fetch = globalThis.fetch }: ClientOptions) => {
  const base = url.replace(/\/+$/, '');
  return async ({ path, method, headers, body, signal }: QueueCall): Promise<Response> => {
    const identity = key === undefined ? await authorize(token) : { authorization: `Key ${key}` };
    const response = await fetch(`${base}/${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...identity, ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
    if (!response.ok) throw await toQueueError(response);
    return response;
  };
};

const toQueueError = async (response: Response): Promise<QueueError> => {
  const { status, headers } = response;
  const text = await response.text();
  return new QueueError({
    status,
    body: parse(text),
    errorType: headers.get('x-svc-error-type'),
    requestId: headers.get('x-svc-request-id'),
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** Returns true for an error that a retry would repeat: client errors except 429. */
const isFinal = (error: unknown): boolean =>
  error instanceof QueueError && error.status < 500 && error.status !== 429;
