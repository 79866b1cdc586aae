import { toBase64 } from '../crypto/encoding.ts';

/** The instructions for connecting one client to a server. */
export interface Connection {
  readonly client: string;
  /** The place for the text: a terminal, a file or a settings page. */
  readonly where: string;
  /** The command, the file content or the address. */
  readonly text: string;
  /** A link that adds the server; only for clients with such links. */
  readonly link?: { readonly label: string; readonly href: string };
  /** Further advice. */
  readonly note?: string;
}

/** The server that clients connect to. */
interface ServedAddress {
  /** The name of the server in clients. */
  readonly name: string;
  /** The address of the MCP endpoint. */
  readonly url: string;
  /** Whether users have to sign in. */
  readonly login: boolean;
}

/** Makes a project's name valid for every client. */
export function toClientName(project: string): string {
  return project.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'svc';
}

/** The instructions for each common client (docs/how-to/connect-clients.md). */
export function connectionsTo(served: ServedAddress): readonly Connection[] {
  return [claudeCode, codex, gemini, claudeDesktop, cursor, vscode].map((toConnection) =>
    toConnection(served),
  );
}

function claudeCode({ name, url, login }: ServedAddress): Connection {
  return {
    client: 'Claude Code',
    where: 'In a terminal',
    text: `claude mcp add --transport http ${name} ${toShellWord(url)}`,
    ...(login ? { note: 'Then run /mcp inside Claude Code to log in.' } : {}),
  };
}

function claudeDesktop({ name, url }: ServedAddress): Connection {
  if (isPublic(url)) {
    return {
      client: 'Claude and Claude Desktop',
      where: 'Settings, Connectors, Add custom connector',
      text: url,
      note: 'Anthropic reaches connectors from the internet. A server in a private network goes into claude_desktop_config.json with npx mcp-remote.',
    };
  }
  return {
    client: 'Claude Desktop',
    where: 'claude_desktop_config.json',
    text: json({ mcpServers: { [name]: { command: 'npx', args: ['-y', 'mcp-remote', url] } } }),
    note: 'Connectors in the settings need a public https address.',
  };
}

function cursor({ name, url }: ServedAddress): Connection {
  const config = toBase64(new TextEncoder().encode(JSON.stringify({ url })));
  const query = new URLSearchParams({ name, config });
  return {
    client: 'Cursor',
    where: '.cursor/mcp.json',
    text: json({ mcpServers: { [name]: { url } } }),
    link: { label: 'Add to Cursor', href: `cursor://anysphere.cursor-deeplink/mcp/install?${query}` },
  };
}

function vscode({ name, url }: ServedAddress): Connection {
  const server = { type: 'http', url };
  const install = encodeURIComponent(JSON.stringify({ name, ...server }));
  return {
    client: 'Visual Studio Code',
    where: '.vscode/mcp.json',
    text: json({ servers: { [name]: server } }),
    link: { label: 'Add to VS Code', href: `vscode:mcp/install?${install}` },
  };
}

function codex({ name, url, login }: ServedAddress): Connection {
  return {
    client: 'Codex',
    where: 'In a terminal',
    text: `codex mcp add ${name} --url ${toShellWord(url)}`,
    ...(login ? { note: `Then run codex mcp login ${name}.` } : {}),
  };
}

function gemini({ name, url }: ServedAddress): Connection {
  return {
    client: 'Gemini CLI',
    where: 'In a terminal',
    text: `gemini mcp add --transport http ${name} ${toShellWord(url)}`,
  };
}

/** Whether the internet may reach a URL. Private names have no dot, or a reserved ending. */
function isPublic(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const own = /^[^.]+$|\.(local|localhost|internal|test)$|^[\d.]+$|^\[/.test(hostname);
  return protocol === 'https:' && !own;
}

/** Quotes a word for a shell if necessary. */
export function toShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function json(value: unknown): string {
  // Short lists on one line keep the text short.
  return JSON.stringify(value, null, 2).replaceAll(/\[[^\]]*\]/g, (list) => list.replaceAll(/\s+/g, ' '));
}
