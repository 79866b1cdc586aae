import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, svc } from './svc.ts';

/** Takes OpenTelemetry's packages away from a program. */
const WITHOUT = `import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (name.startsWith('@opentelemetry/')) throw new Error("Cannot find package '" + name + "'");
    return next(name, context);
  },
});`;

const ENV = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(WITHOUT)}`,
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
};
const CONFIG = `svc: 1
projects: { demo: { profiles: { default: { telemetry: { enabled: true } } } } }
`;

describe('the packages of telemetry, if they are missing', () => {
  it('are a problem that svc doctor finds before svc serve does not start', async () => {
    const root = await project();
    const doctor = async (env: Readonly<Record<string, string>>) => {
      const { code, stdout } = await svc(['doctor', '--json'], root, env);
      const { checks } = JSON.parse(stdout);
      return { code, check: checks.find(({ name }: { name: string }) => name === 'telemetry') };
    };
    expect(await doctor(ENV)).toMatchObject({ code: 0, check: { status: 'ok' } });
    expect(await doctor({ ...ENV, SVC_TELEMETRY_ENABLED: 'true' })).toMatchObject({
      code: 1,
      check: { status: 'problem', message: expect.stringContaining('@opentelemetry/api') },
    });
  });

  it('are a warning of svc validate', async () => {
    const { code, stdout } = await svc(['validate', '--json'], await project(), {
      ...ENV,
      SVC_CONFIG_YAML: CONFIG,
    });
    const { findings } = JSON.parse(stdout);
    expect({ code, findings }).toMatchObject({
      code: 0,
      findings: [{ severity: 'warning', code: 'package-missing', line: 2 }],
    });
    expect(findings[0].message).toMatch(/keeps `svc serve` from starting: Telemetry needs the packages/);
  });

  it('are asked for by svc build, if the artefact sends traces and metrics', async () => {
    const root = await project();
    writeFileSync(join(root, 'user.yml'), CONFIG);
    const build = ['build', '--target', 'node', '--public', '--config', 'user.yml'];
    const built = await svc(build, root, ENV);
    expect(built).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Telemetry needs the packages @opentelemetry\/api/),
    });
  });
});
