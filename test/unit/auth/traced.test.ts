import { expect, it } from 'vitest';
import { createTelemetry } from '../../../adapters/otel/telemetry.ts';
import { startReceiver } from '../adapters/otel/receiver.ts';
import { createFakeRuntime } from '../mcp/fixture.ts';
import { call, createDesk, TOOLS, tokens } from './fixture.ts';

// Requirements: attribute.svc.auth.authenticated, attribute.svc.auth.provider, span.authentication
it('is a span: who was let in, and that somebody was not', async () => {
  const receiver = await startReceiver();
  const telemetry = createTelemetry({
    settings: {
      enabled: true,
      endpoint: receiver.url,
      headers: {},
      service_name: null,
      service_version: null,
      environment: null,
      resource_attributes: {},
      tracing: { enabled: true, console_export: false },
      metrics: { enabled: false, export_interval: 3600 },
    },
    project: 'demo',
    version: '1.2.3',
    log: () => {},
    write: () => {},
    onDemand: true,
  });
  const desk = createDesk({ runtime: { ...createFakeRuntime(TOOLS), spans: telemetry.spans } });
  const { access_token } = await tokens(desk);
  await call(desk, access_token);
  await call(desk, null);
  await telemetry.flush();
  const own = receiver.spans.filter(({ name }) => name === 'svc.auth.authenticate');
  expect(own.map(({ attributes }) => attributes)).toEqual([
    { 'svc.auth.authenticated': true, 'svc.auth.provider': 'github' },
    { 'svc.auth.authenticated': false },
  ]);
  const called = receiver.spans.find(({ name }) => name === 'svc.endpoint.execute');
  expect(called?.attributes).toMatchObject({
    'svc.auth.authenticated': true,
    'svc.auth.provider': 'github',
  });
  expect(receiver.bytes()).not.toMatch(/ada|ghu_|eyJ/i);
  await telemetry.close();
  await receiver.close();
});
