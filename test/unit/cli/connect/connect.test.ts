import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { folder, project, svc } from '../svc.ts';

describe('svc connect', { timeout: 60_000 }, () => {
  it('prints what a client needs, and touches nothing', async () => {
    const [root, home] = [await project(), folder()];
    const { code, stdout } = await svc(['connect', 'gemini', '--url', 'https://mcp.example.org'], root, {
      HOME: home,
    });
    expect(code).toBe(0);
    expect(stdout).toContain('"httpUrl": "https://mcp.example.org/mcp"');
    expect(stdout).toContain(join(home, '.gemini/settings.json'));
    expect(readdirSync(home)).toEqual([]);
  });

  it('refuses an address with credentials, and does not repeat them', async () => {
    const url = 'https://ada:pa55@mcp.example.com/mcp';
    const { code, stderr } = await svc(['connect', 'cursor', '--url', url], await project());
    expect(code).toBe(2);
    expect(stderr).toContain('Write it as https://mcp.example.com/mcp.');
    expect(stderr).not.toMatch(/ada|pa55/);
  });

  it('offers a command that writes the same entry', async () => {
    const root = await project();
    const { stdout } = await svc(
      ['connect', 'cursor', '--name', 'a b', '--url', 'https://mcp.example.com'],
      root,
    );
    expect(stdout).toContain("svc connect cursor --name 'a b' --url https://mcp.example.com --write\n");
  });

  it('writes an entry that a client can start from anywhere, keeps the file, and does it once', async () => {
    const [root, home] = [await project(), folder()];
    const file = join(home, '.cursor/mcp.json');
    const before = '{"mcpServers": {"other": {"url": "https://other"}}, "x": 1}';
    mkdirSync(join(home, '.cursor'));
    writeFileSync(file, before);
    chmodSync(file, 0o600);
    const run = (...args: string[]) => svc(['connect', 'cursor', '--json', ...args], root, { HOME: home });
    expect(JSON.parse((await run('--dry-run')).stdout)).toMatchObject({ action: 'update', written: false });
    expect(readFileSync(file, 'utf8')).toBe(before);
    const written = JSON.parse((await run('--write')).stdout);
    expect(written).toMatchObject({ status: 'ok', action: 'update', written: true, file });
    expect(readFileSync(written.backup, 'utf8')).toBe(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { mcpServers, x } = JSON.parse(readFileSync(file, 'utf8'));
    expect({ x, other: mcpServers.other }).toEqual({ x: 1, other: { url: 'https://other' } });
    expect(JSON.parse((await run('--write')).stdout)).toMatchObject({ action: 'none', written: false });
    expect(readdirSync(join(home, '.cursor'))).toHaveLength(2);

    const { command, args } = mcpServers.demo;
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, cwd: '/', stderr: 'ignore' }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['hello_world']);
    await client.close();
  });

  it('names the program itself, not the link in a cache that npx started it by', async () => {
    const [root, cache] = [await project(), folder()];
    symlinkSync(resolve('cli/svc.js'), join(cache, 'svc'));
    const told = execFileSync(process.execPath, [join(cache, 'svc'), 'connect', 'cursor', '--json'], {
      cwd: root,
    });
    expect(JSON.parse(told.toString()).entry.args[0]).toBe(resolve('cli/svc.js'));
  });

  it('starts the server with the profile and the user file of the environment', async () => {
    const [root, home] = [await project(), folder()];
    const site = join(root, 'svc-site.yml');
    writeFileSync(site, readFileSync(site, 'utf8').replace(/^profiles:$/m, 'profiles:\n  prod: {}'));
    const env = { HOME: home, SVC_PROFILE: 'prod', SVC_CONFIG: '~/user.yml' };
    const run = async (...args: string[]) => JSON.parse((await svc([...args, '--json'], root, env)).stdout);
    const { entry } = await run('connect', 'cursor');
    expect(entry.args.slice(-2)).toEqual(['--profile', 'prod']);
    expect(entry.env).toEqual({ SVC_CONFIG: join(home, 'user.yml') });
    expect((await run('connect', 'cursor', '--profile', 'default')).entry.args.at(-1)).toBe('default');
    const { args } = await run('inspect', '--print');
    expect(args.slice(-2)).toEqual(['--profile', 'prod']);
    expect(args).toContain(`SVC_CONFIG=${join(home, 'user.yml')}`);
  });

  it("leaves another server of that name to its owner, unless it is this project's own", async () => {
    const [root, home] = [await project(), folder()];
    const run = (...args: string[]) =>
      svc(['connect', 'claude-code', '--write', ...args], root, { HOME: home });
    writeFileSync(join(home, '.claude.json'), '{"mcpServers": {"demo": {"command": "theirs"}}}');
    const refused = await run();
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Another server already has the name demo.*--name.*--force/s),
    });
    expect((await run('--name', 'mine')).code).toBe(0);
    expect((await run('--name', 'mine', '--url', 'http://127.0.0.1:8000')).code).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'));
    expect(mcpServers).toEqual({
      demo: { command: 'theirs' },
      mine: { type: 'http', url: 'http://127.0.0.1:8000/mcp' },
    });
  });

  it('keeps the query of an address, which selects tools', async () => {
    const [root, home] = [folder(), folder()];
    const run = async (url: string) => {
      const args = ['connect', 'cursor', '--write', '--json', '--url', url];
      return JSON.parse((await svc(args, root, { HOME: home })).stdout);
    };
    const url = 'https://mcp.example.com/mcp?tags=orders,stock';
    expect(await run(url)).toMatchObject({ action: 'create', entry: { url } });
    expect(await run('https://mcp.example.com/?tags=stock')).toMatchObject({
      action: 'update',
      entry: { url: 'https://mcp.example.com/mcp?tags=stock' },
    });
    const inspect = await svc(['inspect', '--print', '--json', '--url', url], root);
    expect(JSON.parse(inspect.stdout).args.at(-1)).toBe(url);
  });

  it('needs no project for an address, and takes no longer name of a folder for its own', async () => {
    const [root, home] = [await project(), folder()];
    const url = ['--url', 'http://127.0.0.1:8000'];
    expect((await svc(['connect', 'cursor', '--write', ...url], home, { HOME: home })).code).toBe(0);
    const file = join(home, '.cursor/mcp.json');
    const theirs = { command: 'node', args: ['-C', `${root}-2`], env: { KEY: 'secret' } };
    writeFileSync(file, JSON.stringify({ mcpServers: { demo: theirs } }));
    const refused = await svc(['connect', 'cursor', '--write'], root, { HOME: home });
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another server already has the name demo: node'),
    });
    expect(refused.stderr).not.toContain('secret');
    const remote = { type: 'http', url: 'https://user:secret@mcp.example.com/s/secret/mcp?key=secret' };
    writeFileSync(file, JSON.stringify({ mcpServers: { demo: remote } }));
    const other = await svc(['connect', 'cursor', '--write'], root, { HOME: home });
    expect(other.stderr).toContain('already has the name demo: https://mcp.example.com.\n');
    expect(other.stderr).not.toContain('secret');
  });

  it('writes into the folder with --scope project, and says when a client has no such file', async () => {
    const root = await project();
    expect((await svc(['connect', 'vscode', '--write', '--scope', 'project'], root)).code).toBe(0);
    expect(existsSync(join(root, '.vscode/mcp.json'))).toBe(true);
    const refused = [
      await svc(['connect', 'claude-desktop', '--scope', 'project'], root),
      await svc(['connect', 'cursr'], root),
    ];
    expect(refused.map(({ code }) => code)).toEqual([2, 2]);
    expect(refused.map(({ stderr }) => stderr).join()).toMatch(/no project file.*Did you mean cursor\?/s);
  });
});

describe('svc inspect', () => {
  it('prints its command for this project and for an address', async () => {
    const root = await project();
    const [own, other] = [
      await svc(['inspect', '--print'], root),
      await svc(['inspect', '--print', '--json', '--url', 'http://127.0.0.1:1'], root),
    ];
    expect(own.stdout).toMatch(
      /^npx -y @modelcontextprotocol\/inspector@\d+\.\d+\.\d+ --web .*--transport stdio -- .* serve --transport stdio\n$/,
    );
    expect(JSON.parse(other.stdout).args.slice(-3)).toEqual([
      'http',
      '--server-url',
      'http://127.0.0.1:1/mcp',
    ]);
  });

  it('hands over to npx, and ends as it does', async () => {
    const [root, bin] = [await project(), folder()];
    writeFileSync(
      join(bin, 'npx'),
      `#!${process.execPath}\nconsole.log(process.argv.slice(2, 4).join(' ')); process.exit(3);\n`,
    );
    chmodSync(join(bin, 'npx'), 0o755);
    const { code, stdout, stderr } = await svc(['inspect'], root, { PATH: bin });
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringMatching(/^-y @modelcontextprotocol/) });
    expect(stderr).toContain('Ctrl-C stops it');
  });
});
