/** How one client is told about a server. */
export interface Connection {
  readonly client: string;
  /** Where the text goes. */
  readonly where: string;
  readonly text: string;
  /** Adds the server by itself, where the client has such links. */
  readonly link?: { readonly label: string; readonly href: string };
  /** What else there is to know. */
  readonly note?: string;
}

/** The server that clients connect to. */
export interface ServedAddress {
  /** The name that clients list it by. */
  readonly name: string;
  /** Address of the MCP endpoint. */
  readonly url: string;
  /** Whether people have to log in. */
  readonly login: boolean;
}

/** A project's name as every client takes it. */
export function toClientName(project: string): string {
  return project.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'svc';
}

/** Every client that people ask about, each with what it takes to connect (docs/how-to/connect-clients.md). */
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
    ...(login ? { note: 'Then /mcp inside of Claude Code, to log in.' } : {}),
  };
}

function claudeDesktop({ name, url }: ServedAddress): Connection {
  if (isPublic(url)) {
    return {
      client: 'Claude and Claude Desktop',
      where: 'Settings, Connectors, Add custom connector',
      text: url,
      note: 'Connectors are reached from the internet; a server inside of a network goes into claude_desktop_config.json by way of npx mcp-remote.',
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
  const query = new URLSearchParams({ name, config: btoa(JSON.stringify({ url })) });
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
    ...(login ? { note: `Then codex mcp login ${name}.` } : {}),
  };
}

function gemini({ name, url }: ServedAddress): Connection {
  return {
    client: 'Gemini CLI',
    where: 'In a terminal',
    text: `gemini mcp add --transport http ${name} ${toShellWord(url)}`,
  };
}

/** Names that only a network of one's own knows have no dot, or an ending that is set aside for them. */
function isPublic(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  const own = /^[^.]+$|\.(local|localhost|internal|test)$|^[\d.]+$|^\[/.test(hostname);
  return protocol === 'https:' && !own;
}

/** A word as a shell reads it back, in quotes where it has to be. */
export function toShellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function json(value: unknown): string {
  // Lists on one line: they are short, and the rest stays in sight.
  return JSON.stringify(value, null, 2).replaceAll(/\[[^\]]*\]/g, (list) => list.replaceAll(/\s+/g, ' '));
}
