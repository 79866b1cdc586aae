import { expect, it } from 'vitest';
import { startReceiver } from '../adapters/otel/receiver.ts';
import { project, Svc } from './svc.ts';

const CALL = {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'hello_world', arguments: { name: 'Ada' } },
  }),
};

// Requirements: env.SVC_TELEMETRY_ENABLED, env.SVC_TELEMETRY_TRACING_CONSOLE, feature.telemetry, otel.*
it('D12: svc serve sends what has gathered before it ends, as the environment says', async () => {
  const receiver = await startReceiver();
  const env = {
    SVC_TELEMETRY_ENABLED: 'true',
    SVC_TELEMETRY_TRACING_CONSOLE: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=k%201',
    OTEL_SERVICE_NAME: 'named',
    OTEL_RESOURCE_ATTRIBUTES: 'cloud.region=eu',
  };
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: await project(), env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  expect((await fetch(url, CALL)).status).toBe(200);
  server.child.kill('SIGTERM');
  const { code, stdout, stderr } = await server.ended;
  await receiver.close();
  expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 0, lines: 1 });
  expect(stderr).toContain('"span":"svc.endpoint.execute"');
  expect(receiver.spans.map(({ traceId }) => traceId)).toContain('0af7651916cd43dd8448eb211c80319c');
  expect(receiver.metrics.map(({ name }) => name)).toContain('svc.endpoint.requests_total');
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'named', 'cloud.region': 'eu' });
  expect(receiver.requests[0]?.headers['x-api-key']).toBe('k 1');
});
