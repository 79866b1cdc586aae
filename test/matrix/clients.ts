import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as OldStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as OldTransport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** How clients reach a server. */
export type Reach =
  | { readonly kind: 'http'; readonly url: URL }
  | { readonly kind: 'sse'; readonly url: URL }
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
    };

/** What a call answers, whatever the client. */
export interface ToolResult {
  readonly text: string;
  readonly structured: unknown;
  readonly isError: boolean;
  /** The URIs of links in the result. */
  readonly links: readonly string[];
}

/** A connected client, whatever its generation. */
export interface Session {
  readonly revision: string | undefined;
  readonly server: string | undefined;
  listTools(): Promise<readonly { readonly name: string; readonly inputSchema: unknown }[]>;
  callTool(name: string, args: Record<string, unknown>): Promise<ToolResult>;
  /** Reads the content of a resource: its text, or its bytes in base64. */
  read(uri: string): Promise<string>;
  close(): Promise<void>;
}

/** A client of one generation and mode, and the protocol revision it is to end up with. */
export interface ClientKind {
  readonly name: string;
  readonly revision: string;
  connect(reach: Reach): Promise<Session>;
}

const INFO = { name: 'matrix', version: '1.0.0' };

/** Clients of the revisions that every transport carries. */
export const OLDER_CLIENTS: readonly ClientKind[] = [
  { name: 'SDK 2, legacy', revision: '2025-11-25', connect: (reach) => connect(reach, 'legacy') },
  { name: 'SDK 1', revision: '2025-11-25', connect: connectOld },
];

/** Every client that the matrix replays its cases with. */
export const CLIENTS: readonly ClientKind[] = [
  {
    name: 'SDK 2, modern',
    revision: '2026-07-28',
    connect: (reach) => connect(reach, { pin: '2026-07-28' }),
  },
  { name: 'SDK 2, auto', revision: '2026-07-28', connect: (reach) => connect(reach, 'auto') },
  ...OLDER_CLIENTS,
];

async function connect(reach: Reach, mode: VersionNegotiationMode): Promise<Session> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(toTransport(reach));
  return {
    revision: client.getNegotiatedProtocolVersion(),
    server: client.getServerVersion()?.name,
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => toResult(await client.callTool({ name, arguments: args })),
    read: async (uri) => toContent(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

function toTransport(reach: Reach) {
  if (reach.kind === 'sse') return new SSEClientTransport(reach.url);
  if (reach.kind === 'http') return new StreamableHTTPClientTransport(reach.url);
  return new StdioClientTransport({ ...reach, args: [...reach.args], stderr: 'ignore' });
}

async function connectOld(reach: Reach): Promise<Session> {
  const client = new OldClient(INFO);
  const http = reach.kind === 'http' ? new OldHttpTransport(reach.url) : null;
  // the old SDK's types were not written for exactOptionalPropertyTypes
  const transport = (http ?? toOldTransport(reach)) as OldTransport;
  await client.connect(transport);
  return {
    revision: http?.protocolVersion ?? '2025-11-25',
    server: client.getServerVersion()?.name,
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => toResult(await client.callTool({ name, arguments: args })),
    read: async (uri) => toContent(await client.readResource({ uri })),
    close: () => client.close(),
  };
}

function toOldTransport(reach: Reach): OldSseTransport | OldStdioTransport {
  if (reach.kind !== 'stdio') return new OldSseTransport(reach.url);
  return new OldStdioTransport({ ...reach, args: [...reach.args], stderr: 'ignore' });
}

function toContent({ contents }: { contents: readonly { text?: string; blob?: string }[] }): string {
  return contents.map(({ text, blob }) => text ?? blob ?? '').join('\n');
}

function toResult({ content, structuredContent, isError }: Record<string, unknown>): ToolResult {
  const texts = Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '') : [];
  const links = Array.isArray(content) ? content.flatMap(({ uri }: { uri?: string }) => uri ?? []) : [];
  return { text: texts.join('\n'), structured: structuredContent, isError: isError === true, links };
}
