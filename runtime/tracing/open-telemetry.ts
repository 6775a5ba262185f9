/** Records spans with OpenTelemetry, and sends them to a receiver of OTLP in batches. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Span, Tracing, TracingOptions } from './tracing.js';

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, client: SpanKind.CLIENT } as const;

/** Milliseconds within which the last spans are sent; a receiver that is away must not delay the end of a process. */
const closeLimit = 2_000;

interface OpenTelemetryOptions extends TracingOptions {
  readonly endpoint: string;
  /** Version of the service. */
  readonly version: string;
}

/**
 * Creates the tracing of a process. Nothing becomes global, so an application that embeds this one keeps its own. The
 * other variables of OpenTelemetry apply as well: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`,
 * `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_BSP_…`.
 */
export const createTracing = ({ endpoint, service, version }: OpenTelemetryOptions): Tracing => {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('svc', version);
  return {
    async span({ name, kind, parent, attributes }, body) {
      const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      let hasFailed = false;
      const fail = (type: string): void => {
        hasFailed = true;
        span.setAttribute('error.type', type);
        span.setStatus({ code: SpanStatusCode.ERROR });
      };
      const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
      const given: Span = { traceparent, set: (more) => void span.setAttributes(more), fail };
      try {
        return await body(given);
      } catch (error) {
        // the message may contain values
        if (!hasFailed) fail(error instanceof Error ? error.name : 'unknown');
        throw error;
      } finally {
        span.end();
      }
    },
    async close() {
      const limit = new Promise((resolve) => setTimeout(resolve, closeLimit).unref());
      await Promise.race([provider.shutdown().catch(() => undefined), limit]);
    },
  };
};

/** @param traceparent of version 00, valid */
const contextOf = (traceparent: string | null): Context => {
  if (traceparent === null) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
};
