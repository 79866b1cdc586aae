import { describe, expect, it } from 'vitest';
import { connectionsTo, toClientName } from '../../../src/pages/connect.ts';

const find = (client: RegExp, url = 'https://mcp.example.org/mcp', login = false) => {
  const found = connectionsTo({ name: 'shop', url, login }).find((one) => client.test(one.client));
  if (found === undefined) throw new Error(`no ${client}`);
  return found;
};

describe('what a client is told', () => {
  it('is a command, for those that have one', () => {
    const url = 'https://mcp.example.org/mcp';
    expect(find(/Claude Code/).text).toBe(`claude mcp add --transport http shop ${url}`);
    expect(find(/Codex/).text).toBe(`codex mcp add shop --url ${url}`);
    expect(find(/Gemini/).text).toBe(`gemini mcp add --transport http shop ${url}`);
  });

  it('is a file, for those that read one', () => {
    const url = 'https://mcp.example.org/mcp';
    expect(JSON.parse(find(/Cursor/).text)).toEqual({ mcpServers: { shop: { url } } });
    expect(JSON.parse(find(/Visual/).text)).toEqual({ servers: { shop: { type: 'http', url } } });
  });

  it('is a link that holds the same, for those that open one', () => {
    const url = 'https://mcp.example.org/mcp';
    const cursor = new URL(find(/Cursor/).link?.href ?? '');
    expect(cursor.searchParams.get('name')).toBe('shop');
    expect(JSON.parse(atob(cursor.searchParams.get('config') ?? ''))).toEqual({ url });
    const [, query = ''] = (find(/Visual/).link?.href ?? '').split('?');
    expect(JSON.parse(decodeURIComponent(query))).toEqual({ name: 'shop', type: 'http', url });
  });

  it.each([
    ['https://mcp.example.org/mcp', true],
    ['https://abc.lambda-url.eu-west-1.on.aws/mcp', true],
    ['http://mcp.example.org/mcp', false],
    ['http://localhost:8000/mcp', false],
    ['https://127.0.0.1/mcp', false],
    ['https://[::1]/mcp', false],
    ['https://intranet/mcp', false],
    ['https://mcp.corp.internal/mcp', false],
  ])('is a connector of Claude for what the internet reaches: %s', (url, reached) => {
    const { text } = find(/Claude.*Desktop/, url);
    if (reached) expect(text).toBe(url);
    else expect(JSON.parse(text).mcpServers.shop.args).toEqual(['-y', 'mcp-remote', url]);
  });

  it('says how to log in where people have to', () => {
    expect(find(/Codex/, 'https://a.org/mcp', true).note).toContain('codex mcp login shop');
    expect(find(/Codex/).note).toBeUndefined();
  });

  it('is there for an address with letters that are not Latin', () => {
    const url = 'https://例え.jp/mcp';
    const cursor = new URL(find(/Cursor/, url).link?.href ?? '');
    const bytes = Uint8Array.from(atob(cursor.searchParams.get('config') ?? ''), (one) => one.charCodeAt(0));
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ url });
  });

  it('is safe to paste into a shell, whatever the address holds', () => {
    const { text } = find(/Claude Code/, "https://a'$(x);.org/mcp");
    expect(text).toBe("claude mcp add --transport http shop 'https://a'\\''$(x);.org/mcp'");
  });
});

describe('toClientName', () => {
  it.each([
    ['shop', 'shop'],
    ['My Shop: the 2nd!', 'My-Shop-the-2nd'],
    ['東京', 'svc'],
    ['a_b-c', 'a_b-c'],
  ])('of %s is %s', (project, name) => {
    expect(toClientName(project)).toBe(name);
  });
});
