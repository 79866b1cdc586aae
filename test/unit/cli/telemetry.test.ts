import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=k%201,x-team=data',
    OTEL_SERVICE_NAME: 'named',
    OTEL_RESOURCE_ATTRIBUTES: 'cloud.region=eu,team=a%2Cb',
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
  expect(receiver.resources[0]).toMatchObject({
    'service.name': 'named',
    'cloud.region': 'eu',
    team: 'a,b',
  });
  expect(receiver.requests[0]?.headers).toMatchObject({ 'x-api-key': 'k 1', 'x-team': 'data' });
});

// Requirements: attribute.svc.session.id, audit.trace_id, event.audit
it('names the session of MCP in the span, and the trace in the audit file', async () => {
  const receiver = await startReceiver();
  const env = {
    SVC_TELEMETRY_ENABLED: 'true',
    SVC_AUDIT_ENABLED: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  };
  const root = await project();
  const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const version = '2025-11-25';
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const begun = await fetch(url, {
    ...CALL,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  });
  await begun.text();
  const session = begun.headers.get('mcp-session-id') ?? '';
  const headers = { ...CALL.headers, 'mcp-session-id': session, 'mcp-protocol-version': version };
  await (await fetch(url, { ...CALL, headers })).text();
  server.child.kill('SIGTERM');
  await server.ended;
  await receiver.close();
  const { attributes, traceId } = receiver.spans.find(({ name }) => name === 'svc.endpoint.execute') ?? {};
  expect(session).not.toBe('');
  expect(attributes?.['svc.session.id']).toBe(session);
  const record = JSON.parse(readFileSync(join(root, 'audit/logs-default.jsonl'), 'utf8'));
  expect(record).toMatchObject({ session_id: session, trace_id: traceId });
});

// Requirements: telemetry.enabled
it('sends nothing where it is switched off', async () => {
  const receiver = await startReceiver();
  const profile = `telemetry: { enabled: false, endpoint: "${receiver.url}" }`;
  const SVC_CONFIG_YAML = `svc: 1\nprojects: { demo: { profiles: { default: { ${profile} } } } }\n`;
  const server = new Svc(['serve', '--port', '0', '--json'], {
    cwd: await project(),
    env: { SVC_CONFIG_YAML, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  });
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  expect((await fetch(url, CALL)).status).toBe(200);
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
  await receiver.close();
  expect(receiver.requests).toEqual([]);
});
