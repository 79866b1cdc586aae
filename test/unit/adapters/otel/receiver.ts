import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import root from 'otlp-decode/build/src/generated/root.js';

/** The behaviour of the receiver. A `forgetful` one resets a connection at its second request. */
export type Mood = 'good' | 'failing' | 'silent' | 'babbling' | 'dripping' | 'forgetful';

export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: string | null;
}

export interface Metric {
  readonly name: string;
  readonly kind: string;
  /** Absent for a gauge. */
  readonly temporality?: string;
  readonly points: readonly { readonly labels: Readonly<Record<string, unknown>>; readonly value: number }[];
}

/** A collector that decodes by the published protocol definitions, not by the code that sends. */
export interface Receiver {
  readonly url: string;
  readonly spans: Span[];
  readonly metrics: Metric[];
  readonly resources: Record<string, unknown>[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** Every byte that came, as text. */
  readonly bytes: () => string;
  mood: Mood;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const bodies: Buffer[] = [];
  const receiver = {
    spans: [] as Span[],
    metrics: [] as Metric[],
    resources: [] as Record<string, unknown>[],
    requests: [] as Receiver['requests'],
    bytes: () => Buffer.concat(bodies).toString('latin1'),
    mood: 'good' as Mood,
  };
  const known = new WeakSet<Socket>();
  const server = createServer(async (request, response) => {
    if (receiver.mood === 'forgetful') {
      if (known.has(request.socket)) return request.socket.resetAndDestroy();
      known.add(request.socket);
    }
    const body = Buffer.concat(await request.toArray());
    receiver.requests.push({ path: request.url ?? '', headers: request.headers });
    if (receiver.mood !== 'good' && receiver.mood !== 'forgetful')
      return answerBadly(receiver.mood, response);
    bodies.push(body);
    if (request.url === '/v1/traces') takeSpans(body, receiver);
    if (request.url === '/v1/metrics') takeMetrics(body, receiver);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function answerBadly(mood: Mood, response: ServerResponse): void {
  if (mood === 'failing') response.writeHead(400).end('no');
  if (mood === 'dripping') {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 50);
    response.on('close', () => clearInterval(drip));
  }
  if (mood === 'babbling')
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a login page</p>');
}

interface Decoder {
  decode(body: Buffer): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the protocol's, decoded by its own definitions
  toObject(message: unknown, form: object): any;
}

interface Collector {
  readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Decoder } };
  readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: Decoder } };
}

const { trace, metrics }: Collector = Reflect.get(root, 'opentelemetry').proto.collector;
const FORM = { longs: Number, enums: String, bytes: String, defaults: true };

function takeSpans(body: Buffer, into: Pick<Receiver, 'spans' | 'resources'>): void {
  const Request = trace.v1.ExportTraceServiceRequest;
  for (const { resource, scopeSpans } of Request.toObject(Request.decode(body), FORM).resourceSpans) {
    into.resources.push(toPlain(resource.attributes));
    for (const span of scopeSpans.flatMap((scope: { spans: unknown[] }) => scope.spans)) {
      into.spans.push({
        name: span.name,
        traceId: toHex(span.traceId),
        spanId: toHex(span.spanId),
        parentSpanId: toHex(span.parentSpanId),
        attributes: toPlain(span.attributes),
        status: span.status?.code === 'STATUS_CODE_ERROR' ? span.status.message : null,
      });
    }
  }
}

function takeMetrics(body: Buffer, into: Pick<Receiver, 'metrics' | 'resources'>): void {
  const Request = metrics.v1.ExportMetricsServiceRequest;
  for (const { resource, scopeMetrics } of Request.toObject(Request.decode(body), FORM).resourceMetrics) {
    into.resources.push(toPlain(resource.attributes));
    for (const { name, sum, gauge } of scopeMetrics.flatMap(
      (scope: { metrics: unknown[] }) => scope.metrics,
    )) {
      into.metrics.push({
        name,
        ...(gauge
          ? { kind: 'gauge' }
          : {
              kind: sum.isMonotonic ? 'counter' : 'up-down counter',
              temporality: sum.aggregationTemporality.replace('AGGREGATION_TEMPORALITY_', '').toLowerCase(),
            }),
        points: (gauge ?? sum).dataPoints.map(
          (point: { attributes: []; asDouble: number; asInt: number }) => ({
            labels: toPlain(point.attributes),
            value: point.asInt || point.asDouble,
          }),
        ),
      });
    }
  }
}

const toHex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');

type Attribute = { key: string; value: Record<string, unknown> };

function toPlain(attributes: readonly Attribute[]): Record<string, unknown> {
  const chosen = ({ value }: Attribute) =>
    ['stringValue', 'intValue', 'boolValue', 'doubleValue'].flatMap((kind) => value[kind] ?? [])[0];
  return Object.fromEntries(attributes.map((attribute) => [attribute.key, chosen(attribute)]));
}
