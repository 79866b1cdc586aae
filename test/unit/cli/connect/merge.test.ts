import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type DesktopClient, type Launch } from '../../../../cli/connect/clients.ts';
import { planMerge } from '../../../../cli/connect/merge.ts';

const STDIO: Launch = {
  kind: 'stdio',
  command: '/n/node',
  args: ['/s/svc.js', '-C', '/p', 'serve'],
  env: {},
};
const URL_ = { kind: 'url', url: 'http://127.0.0.1:8000/mcp' } as const satisfies Launch;

function client(name: string): DesktopClient {
  const found = CLIENTS.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}

function plan(name: string, text: string | null, launch: Launch = STDIO) {
  const one = client(name);
  return planMerge('/f', text, { client: one, name: 'shop', entry: one.entry(launch) });
}

describe("merging into a client's file", () => {
  it.each(CLIENTS.map(({ name }) => name))(
    'makes a file of %s, and changes nothing the second time',
    (name) => {
      for (const launch of [STDIO, URL_]) {
        const made = plan(name, null, launch);
        expect(made.action).toBe('create');
        expect(plan(name, made.text, launch)).toMatchObject({ action: 'none', text: made.text });
        const tree = client(name).format === 'toml' ? parse(made.text) : JSON.parse(made.text);
        expect(Object.keys(tree[client(name).key])).toEqual(['shop']);
      }
    },
  );

  it('keeps comments, tabs, line ends and trailing commas of JSON', () => {
    const text =
      '{\r\n\t// mine\r\n\t"inputs": [1, 2,],\r\n\t"servers": {\r\n\t\t/* theirs */ "other": { "url": "x" }\r\n\t}\r\n}\r\n';
    const { text: merged } = plan('vscode', text, URL_);
    expect(merged).toContain('// mine');
    expect(merged).toContain('/* theirs */ "other": {');
    expect(merged).toContain('"inputs": [1, 2,],\r\n');
    expect(merged).toContain('\r\n\t\t"shop": {\r\n\t\t\t"type": "http"');
  });

  it('keeps every other table of TOML, wherever ours was', () => {
    const others = '# mine\nmodel = "m" # best\n\n[mcp_servers.shop-2]\nurl = "y"\n';
    const ours =
      '\n[mcp_servers."shop"]\nurl = "old"\ntool_timeout_sec = 9\n\n[mcp_servers.shop.env]\nA = "b"\n';
    const after = '\n[tui]\nlist = [\n  ["a"],\n  [ "b" ],\n]\n';
    const { action, text } = plan('codex', `${others}${ours}${after}`, STDIO);
    expect(action).toBe('update');
    expect(text.startsWith(others)).toBe(true);
    expect(text).toContain(after.trim());
    expect(parse(text)).toEqual({
      model: 'm',
      mcp_servers: {
        'shop-2': { url: 'y' },
        shop: { tool_timeout_sec: 9, env: { A: 'b' }, command: '/n/node', args: STDIO.args },
      },
      tui: { list: [['a'], ['b']] },
    });
  });

  it('keeps comments of TOML: those in our table before it, those behind it before the next', () => {
    const text =
      'a = 12345678901234567890\r\n\r\n[mcp_servers.shop]\r\n# mine\r\nurl = "x"\r\n\r\n# about tui\r\n[tui]\r\nb = 1\r\n';
    expect(plan('codex', text, URL_).text).toBe(
      'a = 12345678901234567890\r\n\r\n# mine\r\n[mcp_servers.shop]\r\nurl = "http://127.0.0.1:8000/mcp"\r\n\r\n# about tui\r\n[tui]\r\nb = 1\r\n',
    );
  });

  it("keeps the mark that Windows' editors put before a text, and takes null for an empty map", () => {
    const { text } = plan('cursor', '\uFEFF{"mcpServers": null, "a": 1}', URL_);
    expect(text.startsWith('\uFEFF{')).toBe(true);
    expect(JSON.parse(text.slice(1))).toEqual({ a: 1, mcpServers: { shop: { url: URL_.url } } });
    expect(plan('codex', '\uFEFFa = 1\n', URL_).text).toMatch(/^\uFEFFa = 1\n/);
  });

  it.each(['constructor', 'toString'])('takes %s for a name like any other', (name) => {
    const one = client('cursor');
    const { text } = planMerge('/f', '{"mcpServers": {}}', { client: one, name, entry: one.entry(URL_) });
    expect(Object.entries(JSON.parse(text).mcpServers)).toEqual([[name, { url: URL_.url }]]);
  });

  it('keeps what a person added to our entry', () => {
    const before = JSON.stringify({
      mcpServers: { shop: { url: 'old', disabled: true, headers: { A: 'b' } } },
    });
    expect(JSON.parse(plan('cursor', before).text).mcpServers.shop).toEqual({
      disabled: true,
      headers: { A: 'b' },
      command: '/n/node',
      args: STDIO.args,
    });
  });

  it('leaves Codex no key that it refuses beside an address, or beside a program', () => {
    const shared = 'tool_timeout_sec = 9\nenabled = true\n';
    const program = `command = "node"\nargs = []\ncwd = "/p"\nenv_vars = ["A"]\n`;
    const toUrl = plan(
      'codex',
      `[mcp_servers.shop]\n${program}${shared}\n[mcp_servers.shop.env]\nSVC_CONFIG = "/u.yml"\nA = "b"\n`,
      URL_,
    );
    const kept = { tool_timeout_sec: 9, enabled: true };
    expect(parse(toUrl.text)).toEqual({ mcp_servers: { shop: { ...kept, url: URL_.url } } });
    const headers =
      'bearer_token_env_var = "T"\nhttp_headers = { A = "b" }\nenv_http_headers = { C = "D" }\n';
    const address = `[mcp_servers.shop]\nurl = "http://x"\n${headers}${shared}`;
    expect(parse(plan('codex', address, STDIO).text)).toEqual({
      mcp_servers: { shop: { ...kept, command: '/n/node', args: STDIO.args } },
    });
    expect(parse(plan('codex', address, URL_).text)).toMatchObject({
      mcp_servers: { shop: { bearer_token_env_var: 'T', http_headers: { A: 'b' }, url: URL_.url } },
    });
  });

  it.each([
    ['codex', '[mcp_servers.shop]\ncommand = "x"\nenv = { SVC_CONFIG = "/old.yml", A = "b" }\n'],
    ['cursor', '{"mcpServers": {"shop": {"command": "x", "env": {"SVC_CONFIG": "/old.yml", "A": "b"}}}}'],
  ])('takes back the user file that an earlier run wrote: %s', (name, before) => {
    const envOf = (text: string) => {
      const tree = name === 'codex' ? parse(text) : JSON.parse(text);
      return tree[client(name).key].shop.env;
    };
    expect(envOf(plan(name, before).text)).toEqual({ A: 'b' });
    const given = { ...STDIO, env: { SVC_CONFIG: '/new.yml' } };
    expect(envOf(plan(name, before, given).text)).toEqual({ A: 'b', SVC_CONFIG: '/new.yml' });
    const alone = plan(name, plan(name, null, given).text);
    expect(envOf(alone.text)).toBeUndefined();
  });

  it.each([
    ['cursor', '{\n  "mcpServers": {\n', /\/f:3 cannot be read.*Nothing was changed/s],
    ['cursor', '[]', /it is not a map/],
    ['cursor', '{"mcpServers": []}', /`mcpServers` in \/f is not a map/],
    ['codex', '[mcp_servers\n', /\/f:1 cannot be read/],
    [
      'codex',
      'mcp_servers = { other = { url = "x" } }\n',
      /cannot be put into \/f without touching the rest/,
    ],
  ])('refuses for %s: %s', (name, text, message) => {
    expect(() => plan(name, text)).toThrow(message);
  });
});

describe('where clients have their files', () => {
  const user = (name: string, platform: NodeJS.Platform, env = {}) =>
    client(name).user({ platform, env: { HOME: '/h', ...env } });

  it.each([
    ['claude-desktop', 'darwin', '/h/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'linux', '/h/.config/Claude/claude_desktop_config.json'],
    ['claude-code', 'linux', '/h/.claude.json'],
    ['cursor', 'darwin', '/h/.cursor/mcp.json'],
    ['vscode', 'darwin', '/h/Library/Application Support/Code/User/mcp.json'],
    ['vscode', 'linux', '/h/.config/Code/User/mcp.json'],
    ['codex', 'linux', '/h/.codex/config.toml'],
    ['gemini', 'linux', '/h/.gemini/settings.json'],
  ] as const)('%s on %s', (name, platform, file) => {
    expect(user(name, platform)).toBe(file);
  });

  it('heeds what moves them', () => {
    expect(user('codex', 'linux', { CODEX_HOME: '/c' })).toBe('/c/config.toml');
    expect(user('vscode', 'win32', { APPDATA: '/a' })).toContain('/a/Code/User');
    expect(user('claude-desktop', 'linux', { XDG_CONFIG_HOME: '/x' })).toContain('/x/Claude');
  });
});
