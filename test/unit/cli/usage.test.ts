import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/version.ts';
import { folder, project, svc } from './svc.ts';

const COMMANDS = ['init', 'serve', 'run', 'list', 'validate', 'build'];

describe('svc', () => {
  it('prints its commands, with and without --help, and exits with 0', async () => {
    const [bare, asked] = [await svc([], tmpdir()), await svc(['--help'], tmpdir())];
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(bare.stdout).toBe(asked.stdout);
    for (const command of COMMANDS) expect(asked.stdout).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
  });

  // Requirements: version.2
  it('prints its version, that of the package', async () => {
    expect(await svc(['--version'], tmpdir())).toMatchObject({ code: 0, stdout: `${VERSION}\n` });
    expect(JSON.parse(readFileSync('package.json', 'utf8')).version).toBe(VERSION);
  });

  it.each([
    [
      'an unknown command',
      ['srve'],
      /Unknown command 'srve'\n {2}Did you mean serve\?\n {2}Run `svc --help` for/,
    ],
    [
      'the beginning of two commands',
      ['drift'],
      /Unknown command 'drift'\n {2}Did you mean drift-snapshot or drift-check\?\n {2}Run `svc --help` for/,
    ],
    ['help for an unknown command', ['help', 'srve'], /There is no such command\.\n {2}Run `svc /],
    ['an unknown option', ['serve', '--prot', '1'], /Unknown option '--prot'\n {2}Did you mean --port\?/],
    [
      'a missing argument',
      ['run', 'hello_world'],
      /argument 'name'\n {2}Example: svc run tool hello_world --param name=Ada\n {2}Run `svc run --help` for/,
    ],
    ['too many arguments', ['list', 'x'], /Too many arguments/],
    [
      'an argument without --param',
      ['run', 'tool', 'a', 'name=Ada'],
      /name=Ada\.\n {2}Write --param name=Ada\./,
    ],
    ['SQL without quotes', ['query', 'SELECT', '1'], /SELECT, 1\.\n {2}Put a text with spaces in quotes\./],
    ['an option without its value', ['serve', '--port'], /--port <int>' argument missing/],
    ['a kind that does not run', ['run', 'tools', 'x'], /tools is not a kind of endpoint/],
    ['an unknown transport', ['serve', '--transport', 'smoke'], /Choose streamable-http, sse, stdio/],
    ['a folder that is not there', ['-C', '/nowhere/at/all', 'list'], /\/nowhere\/at\/all: there is no such/],
    ['a port that is none', ['serve', '--port', '80x'], /--port 80x is not a port/],
    ['a port beyond the last', ['serve', '--port', '65536'], /--port 65536 is not a port/],
    ['no target', ['build'], /svc build needs --target\. Choose node, aws-lambda, cloudflare-workers/],
    ['no target to preview', ['preview'], /svc preview needs --target\. Choose node/],
    ['an unknown target', ['build', '--target', 'moon'], /--target moon is not known/],
  ])('refuses %s with exit code 2 and says what is right', async (_what, args, text) => {
    const { code, stdout, stderr } = await svc(args, tmpdir());
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it('reports a usage error as one JSON document with --json', async () => {
    const { code, stdout, stderr } = await svc(['serve', '--json', '--prot', '1'], tmpdir());
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      status: 'error',
      error: { code: 'usage', message: "Unknown option '--prot'\nDid you mean --port?" },
    });
  });

  it.skipIf(!existsSync('/dev/full'))('says that its answer could not be written', async () => {
    const line = `"$0" "$1" --version > /dev/full`;
    const { status, stderr } = spawnSync('sh', ['-c', line, process.execPath, resolve('cli/svc.js')], {
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^error: standard output cannot be written: ENOSPC[^\n]*\n$/),
    });
  });

  it.each([['list'], ['validate'], ['serve'], ['run', 'tool', 'x'], ['build', '--target', 'node']])(
    'fails with 1 where there is no project: %s',
    async (...args) => {
      const { code, stderr } = await svc(args, folder());
      expect(code).toBe(1);
      expect(stderr).toMatch(/There is no svc-site\.yml in .*\n.*svc init --bootstrap/);
    },
  );

  it('finds the project from a folder inside it', async () => {
    const root = await project();
    expect((await svc(['list'], `${root}/sql`)).code).toBe(0);
  });

  // Requirements: env.SVC_DEBUG
  it('adds stack and code with --debug and with SVC_DEBUG, and never without', async () => {
    const [flag, variable, on, plain] = [
      await svc(['list', '--debug'], folder()),
      await svc(['list'], folder(), { SVC_DEBUG: 'true' }),
      await svc(['list'], folder(), { SVC_DEBUG: 'on' }),
      await svc(['list'], folder()),
    ];
    for (const { stderr } of [flag, variable, on])
      expect(stderr).toMatch(/code: project_invalid\n.*SvcError/);
    expect(plain.stderr).not.toContain('SvcError');
  });
});
