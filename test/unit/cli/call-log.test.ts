import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { callLegacy } from '../../legacy-request.ts';
import { project, Svc, svc } from './svc.ts';

// several programs start in each
vi.setConfig({ testTimeout: 90_000 });

const TOOL = `tool:
  name: numbers
  parameters: [{ name: pin, type: string, sensitive: true }]
  source: { code: "SELECT range AS n, $pin AS pin FROM range(3)" }
`;

async function callOnce(server: Svc, args: object): Promise<string> {
  const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
  const response = await callLegacy(new URL('/mcp', url), 'numbers', args);
  await response.text();
  return response.headers.get('x-request-id') ?? '';
}

/** The JSON lines that a server has written. */
function linesOf(text: string): { message: string; level: string; [name: string]: unknown }[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

async function serve(args: readonly string[], env: Record<string, string> = {}) {
  const cwd = await project();
  writeFileSync(join(cwd, 'tools/numbers.yml'), TOOL);
  return new Svc(['serve', '--stateless', '--port', '0', '--json', ...args], { cwd, env });
}

describe('the log of a server', () => {
  // Requirements: event.logs, env.SVC_DEBUG
  it('has one line for each call, as JSON where no terminal reads it', async () => {
    const server = await serve([]);
    const id = await callOnce(server, { pin: 'planted-4711' });
    await server.until(/numbers ok/, 'stderr');
    const calls = linesOf(server.stderr).filter(({ endpoint }) => endpoint === 'numbers');
    expect(calls).toEqual([
      {
        timestamp: expect.any(String),
        level: 'info',
        message: expect.stringMatching(/^tool numbers ok \d+\.\d ms 3 rows$/),
        request_id: id,
        kind: 'tool',
        endpoint: 'numbers',
        outcome: 'ok',
        duration_ms: expect.any(Number),
        rows: 3,
      },
    ]);
    await callOnce(server, {});
    await server.until(/numbers arguments_invalid/, 'stderr');
    expect(linesOf(server.stderr).filter(({ level }) => level === 'debug')).toEqual([]);
    expect(server.stderr).not.toContain('planted-4711');
  });

  it('is text for people where they ask for it', async () => {
    const server = await serve([], { SVC_LOG: 'human' });
    await callOnce(server, { pin: 'x' });
    const [line] = await server.until(/^\d\d:\d\d:\d\d tool numbers ok .*$/m, 'stderr');
    expect(line).toMatch(/ms 3 rows$/);
  });

  it('has no lines for calls with --quiet', async () => {
    const server = await serve(['--quiet']);
    await callOnce(server, { pin: 'x' });
    await callOnce(server, {});
    // The line about the failed call is of the log and stays.
    await server.until(/tools\/call numbers failed/, 'stderr');
    expect(server.stderr).not.toMatch(/numbers ok|numbers arguments_invalid/);
  });

  // Requirements: command.serve, env.SVC_DEBUG
  it.each([
    [['--debug'], {}],
    [[], { SVC_DEBUG: 'true' }],
  ])('tells with %j and %j each request and each step, and no value', async (args, env) => {
    const server = await serve(args, env);
    const id = await callOnce(server, { pin: 'planted-4711' });
    await server.until(/POST \/mcp 200/, 'stderr');
    const lines = linesOf(server.stderr).filter((line) => line.request_id === id);
    const messages = lines.map(({ message }) => message.replace(/ [\d.]+ ms/, ''));
    expect(messages).toEqual([
      'mcp: tools/call',
      'svc.policy.enforce_input',
      'svc.validation.input',
      'svc.database.execute',
      'svc.validation.output',
      'svc.execution_engine.execute',
      'svc.policy.enforce_output',
      'svc.endpoint.execute',
      'tool numbers ok 3 rows',
      'POST /mcp 200',
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({ 'db.statement.hash': expect.stringMatching(/^[0-9a-f]{64}$/) }),
    );
    expect(lines[0]).toMatchObject({ level: 'debug', era: 'legacy' });
    expect(server.stderr).not.toContain('planted-4711');
  });

  it('is not a setting of other commands', async () => {
    const { code, stderr } = await svc(['list', '--quiet'], await project());
    expect([code, stderr]).toEqual([2, expect.stringContaining('--quiet')]);
  });
});
