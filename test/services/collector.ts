/** A real OpenTelemetry collector, which receives spans by OTLP over HTTP and hands them on as JSON. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireGoModule } from './go-programs.js';
import { reservePort } from './ports.js';
import { startServer } from './server.js';

interface KeyValue {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: string;
    readonly doubleValue?: number;
  };
}

/** The JSON of OTLP, as far as tests read it. */
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly KeyValue[];
  readonly status?: { readonly code?: number; readonly message?: string };
}

export interface CollectedSpan {
  /** `service.name`. */
  readonly service: string;
  readonly trace: string;
  readonly id: string;
  /** Id of the parent; empty where it began the trace. */
  readonly parent: string;
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly failed: boolean;
}

export interface Collector {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Everything that the collector handed on, as text. */
  text(): string;
  close(): Promise<void>;
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

const toAttributes = (pairs: readonly KeyValue[] = []): CollectedSpan['attributes'] =>
  Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
      key,
      stringValue ?? Number(intValue ?? doubleValue),
    ]),
  );

const toSpans = ({ resourceSpans }: Exported): readonly CollectedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes, status }) => ({
        service: String(toAttributes(resource.attributes)['service.name']),
        trace: traceId,
        id: spanId,
        parent: parentSpanId,
        name,
        kind: kinds[kind] ?? 'unspecified',
        attributes: toAttributes(attributes),
        failed: status?.code === 2,
      })),
    ),
  );

/** Receives what the collector hands on. */
const startReceiver = async () => {
  const spans: CollectedSpan[] = [];
  let all = '';
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      all += text;
      spans.push(...toSpans(JSON.parse(text) as Exported));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, spans, text: () => all, close };
};

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });

export const startCollector = async (): Promise<Collector> => {
  const source = fileURLToPath(new URL('collector', import.meta.url));
  const program = await requireGoModule({ name: 'collector', source, version: 'v0.165.0' });
  const receiver = await startReceiver();
  const folder = await mkdtemp(join(tmpdir(), 'svc-collector-'));
  const port = await reservePort();
  // every JSON text is YAML
  const configuration = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: {
      otlp_http: {
        endpoint: receiver.url,
        encoding: 'json',
        compression: 'none',
        sending_queue: { enabled: false },
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlp_http'] } },
    },
  };
  const file = join(folder, 'collector.yaml');
  await writeFile(file, JSON.stringify(configuration));
  const server = await startServer({
    program,
    args: ['--config', file],
    folder,
    isReady: () => isOpen(port),
  });
  return {
    url: `http://127.0.0.1:${port}`,
    spans: receiver.spans,
    text: receiver.text,
    async close() {
      await server.stop();
      receiver.close();
    },
  };
};
