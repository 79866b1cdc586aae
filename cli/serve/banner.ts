import { nameOffers, type Offers } from '../../src/mcp/instructions.ts';
import { toClientName } from '../../src/pages/connect.ts';
import { styled } from '../io/output.ts';

/** The facts that a server shows when it starts. */
export interface BannerDetails extends Offers {
  readonly project: string;
  /** The transport that clients are told to use. */
  readonly transport: 'http' | 'sse';
  /** Address of the MCP endpoint. */
  readonly url: string;
  readonly engine: string;
  readonly readonly: boolean;
  /** Path of the database file. */
  readonly path: string;
  /** Address of the workbench, with its key; absent outside of `svc dev`. */
  readonly workbench?: string;
}

/** The numbers of endpoints in words: `2 tools, 1 skill`. */
export function toOffersText(offers: Offers): string {
  return nameOffers(offers).join(', ') || 'no endpoints';
}

/** Formats the address of the server, how clients connect to it, and the keys that it takes. */
export function toBanner(
  { reached, ...serving }: BannerDetails & { readonly reached: string },
  keys: string | null = null,
): string {
  const { project, url, engine, readonly, path, workbench } = serving;
  return [
    `${styled('ok', 'serving')} ${styled('strong', project)} on ${styled('strong', url)}`,
    styled('dim', `  ${toOffersText(serving)}; ${engine}, ${readonly ? 'read-only' : 'read-write'}, ${path}`),
    ...(workbench === undefined ? [] : [`${styled('ok', 'workbench')} ${styled('strong', workbench)}`]),
    '',
    // clients that sign in must use the address that tokens are issued for
    ...howToConnect({ ...serving, url: reached }).slice(0, keys === null ? undefined : -1),
    ...(keys === null ? [] : [styled('dim', keys)]),
  ].join('\n');
}

/** Lists the ways to connect to a server that runs until Ctrl-C. */
export function howToConnect(
  served: Pick<BannerDetails, 'project' | 'transport' | 'url'>,
): readonly string[] {
  const { project, transport, url } = served;
  const name = toClientName(project);
  return [
    'Claude Code:',
    `  claude mcp add --transport ${transport} ${name} ${url}`,
    'Any other client:',
    `  ${JSON.stringify({ mcpServers: { [name]: { type: transport, url } } })}`,
    'By hand:',
    `  curl -s ${url.replace(/sse$/, 'mcp')} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \\`,
    `    -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
    '',
    styled('dim', 'Ctrl-C stops it.'),
  ];
}
