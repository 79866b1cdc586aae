import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../free-port.ts';
import { folder, project, Svc } from '../unit/cli/svc.ts';

/* Telemetry in the collector of OpenTelemetry that `npm run test:collector` compiles. */

const PROGRAM = process.env.SVC_TEST_COLLECTOR;
const TRACE = '0af7651916cd43dd8448eb211c80319c';

const configOf = (
  port: number,
) => `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}" } } } }
exporters: { debug: { verbosity: detailed } }
service:
  telemetry: { metrics: { level: none }, logs: { level: info } }
  pipelines:
    traces: { receivers: [otlp], exporters: [debug] }
    metrics: { receivers: [otlp], exporters: [debug] }
`;

/** The collector, which prints all that it receives. */
async function startCollector() {
  const port = await freePort();
  const config = join(folder(), 'collector.yml');
  writeFileSync(config, configOf(port));
  const child = spawn(join(PROGRAM ?? '', 'collector'), [`--config=${config}`]);
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  const ended = new Promise<string>((done) => child.on('close', () => done(printed)));
  await new Promise<void>((ready, fail) => {
    child.stderr.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('Everything is ready')) ready();
    });
    void ended.then(() => fail(new Error(`the collector ended:\n${printed}`)));
  });
  /** Ends the collector, which prints what it has received first. */
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

const call = (name: string, args: object) => ({
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    traceparent: `00-${TRACE}-b7ad6b7169203331-01`,
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
});

describe.skipIf(PROGRAM === undefined)("OpenTelemetry's collector", { timeout: 60_000 }, () => {
  // Requirements: event.telemetry, feature.telemetry, otel.*
  it('takes the spans and metrics of svc serve, without a value', async () => {
    const collector = await startCollector();
    const env = {
      SVC_TELEMETRY_ENABLED: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_SERVICE_NAME: 'named',
      OTEL_RESOURCE_ATTRIBUTES: 'cloud.region=eu',
    };
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: await project(), env });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    for (const args of [{ name: 'planted' }, {}])
      expect((await fetch(url, call('hello_world', args))).status).toBe(200);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
    const received = await collector.stop();
    for (const text of [
      'service.name: Str(named)',
      'cloud.region: Str(eu)',
      `Trace ID       : ${TRACE}`,
      'Parent ID      : b7ad6b7169203331',
      'Name           : svc.endpoint.execute',
      'Name           : svc.database.execute',
      'svc.endpoint.name: Str(hello_world)',
      'Status code    : Error',
      'Name: svc.endpoint.requests_total',
      'error_type: Str(arguments_invalid)',
    ])
      expect(received).toContain(text);
    expect(received).not.toMatch(/planted|partial success|\berror\b.*export/i);
  });
});
