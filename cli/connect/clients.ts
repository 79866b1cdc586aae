import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { userFilePath } from '../../adapters/node/user-file.ts';

/** The way from a client to a server: a program that the client starts, or an address. */
export type Launch =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'url'; readonly url: string };

/** An entry of a client's configuration. */
export type Entry = { readonly [key: string]: string | readonly string[] | Readonly<Record<string, string>> };

/** The configuration file of one client, and the form of its entries. */
export interface DesktopClient {
  readonly name: string;
  readonly format: 'json' | 'toml';
  /** The key that holds the servers. */
  readonly key: string;
  /** The path of the user's own file. */
  readonly user: (place: ConfigPlace) => string;
  /** The path of the file in a project folder; null if the client has none. */
  readonly project: string | null;
  readonly entry: (launch: Launch) => Entry;
  /** The keys besides ours that the client takes with one kind of launch, and refuses with the other. */
  readonly onlyFor?: { readonly [kind in Launch['kind']]: readonly string[] };
  /** Tells a person how to make the client read the file. */
  readonly next: string;
}

/** The system and environment that decide where files lie. */
interface ConfigPlace {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
}

/** The data of a client's file. */
export type Tree = { readonly [key: string]: unknown };

/** Every client that `svc connect` knows. */
export const CLIENTS: readonly DesktopClient[] = [
  {
    name: 'claude-desktop',
    format: 'json',
    key: 'mcpServers',
    user: (place) => join(applicationData(place), 'Claude', 'claude_desktop_config.json'),
    project: null,
    // Claude Desktop reaches connectors from the internet; a program on this machine reaches local addresses too
    entry: (launch) =>
      launch.kind === 'url' ? { command: 'npx', args: ['-y', 'mcp-remote', launch.url] } : program(launch),
    next: 'Quit Claude Desktop and start it again.',
  },
  {
    name: 'claude-code',
    format: 'json',
    key: 'mcpServers',
    user: ({ env }) =>
      env.CLAUDE_CONFIG_DIR ? join(env.CLAUDE_CONFIG_DIR, '.claude.json') : home(env, '.claude.json'),
    project: '.mcp.json',
    entry: (launch) =>
      launch.kind === 'url' ? { type: 'http', url: launch.url } : { type: 'stdio', ...program(launch) },
    next: 'Start a new session of claude; /mcp shows the server.',
  },
  {
    name: 'cursor',
    format: 'json',
    key: 'mcpServers',
    user: ({ env }) => home(env, '.cursor', 'mcp.json'),
    project: join('.cursor', 'mcp.json'),
    entry: (launch) => (launch.kind === 'url' ? { url: launch.url } : program(launch)),
    next: 'Cursor asks to enable it, or shows it under Settings, MCP.',
  },
  {
    name: 'vscode',
    format: 'json',
    key: 'servers',
    user: (place) => join(applicationData(place), 'Code', 'User', 'mcp.json'),
    project: join('.vscode', 'mcp.json'),
    entry: (launch) =>
      launch.kind === 'url' ? { type: 'http', url: launch.url } : { type: 'stdio', ...program(launch) },
    next: 'In Visual Studio Code: MCP: List Servers.',
  },
  {
    name: 'codex',
    format: 'toml',
    key: 'mcp_servers',
    user: ({ env }) =>
      env.CODEX_HOME ? join(env.CODEX_HOME, 'config.toml') : home(env, '.codex', 'config.toml'),
    project: join('.codex', 'config.toml'),
    entry: (launch) => (launch.kind === 'url' ? { url: launch.url } : program(launch)),
    onlyFor: {
      stdio: ['env', 'env_vars', 'cwd'],
      url: [
        ...['http_headers', 'env_http_headers', 'http_headers_helper'],
        ...['bearer_token', 'bearer_token_env_var', 'auth', 'oauth', 'oauth_resource'],
      ],
    },
    next: 'Start codex anew; `codex mcp list` shows the server.',
  },
  {
    name: 'gemini',
    format: 'json',
    key: 'mcpServers',
    user: ({ env }) => home(env, '.gemini', 'settings.json'),
    project: join('.gemini', 'settings.json'),
    entry: (launch) => (launch.kind === 'url' ? { httpUrl: launch.url } : program(launch)),
    next: 'Start gemini anew; /mcp shows the server.',
  },
];

/** The keys of an entry that say how to reach a server. We replace these and keep the others that the client takes beside them. */
export const OUR_KEYS: readonly string[] = ['type', 'command', 'args', 'url', 'httpUrl'];

function program({ command, args, env }: Extract<Launch, { kind: 'stdio' }>): Entry {
  return { command, args, ...(Object.keys(env).length > 0 ? { env } : {}) };
}

function home(env: NodeJS.ProcessEnv, ...path: readonly string[]): string {
  return absolutePath('', ['~', ...path].join('/'), env);
}

function applicationData({ platform, env }: ConfigPlace): string {
  if (platform === 'darwin') return home(env, 'Library', 'Application Support');
  if (platform === 'win32') return env.APPDATA || home(env, 'AppData', 'Roaming');
  return env.XDG_CONFIG_HOME || home(env, '.config');
}

/**
 * The command that starts a project's server. All paths are absolute, because clients start it in any folder with a
 * small environment.
 */
export function stdioLaunch(root: string, profile: string | undefined): Extract<Launch, { kind: 'stdio' }> {
  const config = userFilePath(process.env);
  return {
    kind: 'stdio',
    command: process.execPath,
    args: [
      // npx starts a link in its cache, which does not last
      realpathSync(process.argv[1] ?? 'svc'),
      ...['-C', root, 'serve', '--transport', 'stdio'],
      ...(profile === undefined ? [] : ['--profile', profile]),
    ],
    env: config === null ? {} : { SVC_CONFIG: config },
  };
}
