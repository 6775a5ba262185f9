/** Spans of this process. OpenTelemetry is loaded only where an endpoint receives them. */
import { packageVersion } from '../config/package.js';

/** Attributes by the semantic conventions of OpenTelemetry; never values, tokens, bodies or URLs with their path. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

export interface SpanStart {
  readonly name: string;
  /** `server` for a request of a client, `consumer` for work from the queue, `client` for a call of another server. */
  readonly kind: 'server' | 'consumer' | 'client';
  /** `traceparent` of the parent; null starts a trace. */
  readonly parent: string | null;
  readonly attributes: SpanAttributes;
}

export interface Span {
  /** Names the span for those who are called within it; without tracing, what the parent was. */
  readonly traceparent: string | null;
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed. @param type a class of errors, such as `timeout` or `500` */
  fail(type: string): void;
}

export interface Tracing {
  /** Runs a function within a span, which ends with it, and fails if it throws. */
  span<Result>(start: SpanStart, body: (span: Span) => Promise<Result>): Promise<Result>;
  /** Sends the spans that have not been sent. */
  close(): Promise<void>;
}

const nothing = (): void => undefined;

/** Records nothing, and passes on the trace of the caller. */
export const untraced: Tracing = {
  span: ({ parent }, body) => body({ traceparent: parent, set: nothing, fail: nothing }),
  close: () => Promise.resolve(),
};

export interface TracingOptions {
  /** Base URL of a receiver of OTLP over HTTP; null: no spans are recorded. */
  readonly endpoint: string | null;
  /** `service.name` of the spans, unless `OTEL_SERVICE_NAME` is set. */
  readonly service: string;
}

/** Starts the tracing of this process; its spans bear the version of the package. */
export const startTracing = async ({ endpoint, ...options }: TracingOptions): Promise<Tracing> => {
  if (endpoint === null) return untraced;
  const { createTracing } = await import('./open-telemetry.js');
  return createTracing({ ...options, endpoint, version: packageVersion });
};
