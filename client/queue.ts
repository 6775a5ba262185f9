/** The queue: models that take their time. What goes in and what comes out has the types of the model. */
import { QueueError } from './queue-error.js';
import type { QueueModels } from './queue-models.js';
import type { QueuedRequest, QueueStatus } from './queue-status.js';
import { follow, readEvents } from './queue-stream.js';
import { authorize, type CallOptions, type ClientOptions } from './transport.js';

/** Every model. */
export type ModelName = keyof QueueModels;

/** What a model takes. */
export type ModelInput<Name extends ModelName> = QueueModels[Name]['input'];

/** What a model gives. */
export type ModelOutput<Name extends ModelName> = QueueModels[Name]['output'];

export interface SubmitOptions extends CallOptions {
  /** URL that receives the result as a signed POST request. */
  readonly webhook?: string | undefined;
  /** Submitting again with the same key and input gives the same request. */
  readonly idempotencyKey?: string | undefined;
  /** `low` waits behind everything that is `normal`. */
  readonly priority?: 'normal' | 'low' | undefined;
  /** Seconds within which processing has to begin. */
  readonly startTimeout?: number | undefined;
  /** Refuses where more requests wait already. */
  readonly maxQueueLength?: number | undefined;
  /** Whether an attempt that the platform breaks is repeated; true by default. */
  readonly retry?: boolean | undefined;
  /** Whether input and result are kept once the result is delivered; true by default. */
  readonly storeIo?: boolean | undefined;
  /** Seconds that files of the result can be fetched. */
  readonly filesTtl?: number | undefined;
  /** Up to ten texts by key, for the own use. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface QueueOptions extends CallOptions {
  /** Whether lines of the log are told; false by default. */
  readonly logs?: boolean | undefined;
}

export interface SubscribeOptions extends SubmitOptions, QueueOptions {
  /** Called with the request's id as soon as it is known. */
  readonly onSubmit?: ((requestId: string) => void) | undefined;
  /** Called whenever something has changed, with new lines of the log only. */
  readonly onUpdate?: ((status: QueueStatus) => void) | undefined;
}

export interface Queue {
  /**
   * Queues a request, and answers at once.
   * @throws QueueError
   */
  submit<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: SubmitOptions,
  ): Promise<QueuedRequest>;

  /**
   * Queues a request and waits for its result. When the signal is aborted the request is cancelled.
   * @throws QueueError where it is refused, or ends without a result
   */
  subscribe<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: SubscribeOptions,
  ): Promise<ModelOutput<Name>>;

  /** @throws QueueError `NOT_FOUND` in its body where there is no such request of the caller */
  status(model: ModelName, requestId: string, options?: QueueOptions): Promise<QueueStatus>;

  /**
   * The status, and then whatever changes, with new lines of the log only, until the request has ended.
   * @throws QueueError
   */
  stream(model: ModelName, requestId: string, options?: QueueOptions): AsyncIterable<QueueStatus>;

  /** @throws QueueError status 400 while it has not ended; as it ended, where it has no result */
  result<Name extends ModelName>(
    model: Name,
    requestId: string,
    options?: CallOptions,
  ): Promise<ModelOutput<Name>>;

  /**
   * `OK`: it waited, and is removed; `CANCELLATION_REQUESTED`: it runs, and is told to stop.
   * @throws QueueError status 400 where it has ended already
   */
  cancel(
    model: ModelName,
    requestId: string,
    options?: CallOptions,
  ): Promise<'OK' | 'CANCELLATION_REQUESTED'>;

  /**
   * Runs a model at once and waits for it, without the queue: nothing is kept or repeated.
   * @throws QueueError
   */
  run<Name extends ModelName>(
    model: Name,
    input: ModelInput<Name>,
    options?: CallOptions,
  ): Promise<ModelOutput<Name>>;
}

export const createQueue = (client: ClientOptions) => {
  const call = createQueueCall(client);
  const read = async <Answer>(path: string, options?: CallOptions): Promise<Answer> =>
    (await (await call({ path, ...options })).json()) as Answer;
  const open = async (path: string, options?: CallOptions) =>
    readEvents((await call({ path, ...options })).body as ReadableStream<Uint8Array>);

  const submit = async (model: string, input: object, options: SubmitOptions = {}) => {
    const path = `queue/${model}${queryOf(options)}`;
    const answer = await call({ path, body: input, headers: headersOf(options), signal: options.signal });
    return (await answer.json()) as QueuedRequest;
  };
  const stream = (model: string, id: string, { logs = false, signal }: QueueOptions = {}) =>
    follow(
      () => open(`${placeOf(model, id)}/status/stream?logs=${Number(logs)}`, { signal }),
      (error) => signal?.aborted === true || isFinal(error),
    );
  const result = (model: string, id: string, options?: CallOptions) =>
    read<unknown>(placeOf(model, id), options);
  const cancel = async (model: string, id: string, options?: CallOptions) => {
    const answer = await call({ path: `${placeOf(model, id)}/cancel`, method: 'PUT', ...options });
    return ((await answer.json()) as { status: 'OK' | 'CANCELLATION_REQUESTED' }).status;
  };

  return {
    submit,
    stream,
    result,
    cancel,
    status: (model: string, id: string, { logs = false, signal }: QueueOptions = {}) =>
      read<QueueStatus>(`${placeOf(model, id)}/status?logs=${Number(logs)}`, { signal }),
    async subscribe(model: string, input: object, options: SubscribeOptions = {}) {
      const { request_id: id } = await submit(model, input, options);
      try {
        options.onSubmit?.(id);
        for await (const status of stream(model, id, options)) options.onUpdate?.(status);
        return await result(model, id, { signal: options.signal });
      } catch (error) {
        if (options.signal?.aborted === true) await cancel(model, id).catch(() => undefined);
        throw error;
      }
    },
    run: async (model: string, input: object, options?: CallOptions) =>
      (await (await call({ path: `run/${model}`, body: input, ...options })).json()) as unknown,
  };
};

const placeOf = (model: string, id: string): string => `queue/${model}/requests/${encodeURIComponent(id)}`;

const queryOf = ({ webhook, maxQueueLength }: SubmitOptions): string => {
  const query = new URLSearchParams();
  if (webhook !== undefined) query.set('svc_webhook', webhook);
  if (maxQueueLength !== undefined) query.set('svc_max_queue_length', String(maxQueueLength));
  return query.size === 0 ? '' : `?${query.toString()}`;
};

const headersOf = (options: SubmitOptions): Record<string, string> => {
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
  /** Below the API's address. */
  readonly path: string;
  readonly method?: 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, by POST. */
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

/** Refusals are final, what is broken or busy is not. */
const isFinal = (error: unknown): boolean =>
  error instanceof QueueError && error.status < 500 && error.status !== 429;
