import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { folder, project, Svc, svc } from '../unit/cli/svc.ts';

/* What `svc connect` writes, and the commands that the docs name, with the clients that `npm run test:clients` installs. */

const BIN = process.env.SVC_TEST_CLIENTS;
const SLOW = 120_000;
/** They are to tell nobody of us, and to stay as they are. */
const QUIET = {
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};

/** A person's home, with a project that no client knows yet. */
async function begin() {
  const root = realpathSync(await project());
  const home = realpathSync(folder());
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, ...QUIET };
  // it asks nobody about folders that it trusts
  mkdirSync(join(home, '.gemini'));
  writeFileSync(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [root]: 'TRUST_FOLDER' }));
  const ask = async (client: string, ...args: readonly string[]): Promise<string> => {
    const program = join(BIN ?? '', client);
    const { stdout, stderr } = await promisify(execFile)(program, [...args], { cwd: root, env });
    return stdout + stderr;
  };
  return { root, env, ask };
}

async function serve(cwd: string): Promise<string> {
  const [, url = ''] = await new Svc(['serve', '--port', '0'], { cwd }).until(/serving .* on (\S+)/);
  return url;
}

describe.skipIf(BIN === undefined)('the real clients', { timeout: SLOW }, () => {
  it.each([
    ['claude-code', 'claude', /^demo: .* Connected$/m],
    ['gemini', 'gemini', /demo: .*\(stdio\) - Connected/],
  ])('%s starts svc as svc connect has written it', async (name, program, connected) => {
    const { root, env, ask } = await begin();
    expect(await svc(['connect', name, '--write'], root, env)).toMatchObject({ code: 0 });
    expect(await ask(program, 'mcp', 'list')).toMatch(connected);
  });

  it.each([
    ['claude-code', 'claude', /^far: http.* Connected$/m],
    ['gemini', 'gemini', /far: http.*\(http\) - Connected/],
  ])('%s reaches a server that svc connect has named', async (name, program, connected) => {
    const { root, env, ask } = await begin();
    const url = await serve(root);
    const written = await svc(['connect', name, '--url', url, '--name', 'far', '--write'], root, env);
    expect(written).toMatchObject({ code: 0 });
    expect(await ask(program, 'mcp', 'list')).toMatch(connected);
  });

  it.each([
    ['claude', /^far: http.* Connected$/m],
    ['gemini', /far: http.*\(http\) - Connected/],
  ])('%s takes the command that a server prints', async (program, connected) => {
    const { root, ask } = await begin();
    await ask(program, 'mcp', 'add', '--transport', 'http', 'far', await serve(root));
    expect(await ask(program, 'mcp', 'list')).toMatch(connected);
  });

  it('codex reads both kinds of entry, and takes the command', async () => {
    const { root, env, ask } = await begin();
    const url = 'http://127.0.0.1:9/mcp';
    await svc(['connect', 'codex', '--write'], root, env);
    await svc(['connect', 'codex', '--url', url, '--name', 'far', '--write'], root, env);
    await ask('codex', 'mcp', 'add', 'added', '--url', url);
    const listed: { name: string; transport: object }[] = JSON.parse(
      (await ask('codex', 'mcp', 'list', '--json')).replace(/^WARNING.*\n/m, ''),
    );
    expect(listed.map(({ name, transport }) => ({ name, ...transport }))).toMatchObject([
      { name: 'added', type: 'streamable_http', url },
      { name: 'demo', type: 'stdio', args: expect.arrayContaining(['-C', root, 'serve']) },
      { name: 'far', type: 'streamable_http', url },
    ]);
  });
});
