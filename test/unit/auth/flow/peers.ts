import {
  Client,
  type OAuthClientProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { UnauthorizedError as OldUnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as OldSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import * as oauth from 'oauth4webapi';
import { modern } from '../../mcp/fixture.ts';
import { browse, type Person, REDIRECT } from './people.ts';

/** What a tool answers a client. */
export interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** A client that is signed in. */
export interface SignedIn {
  call(tool: string): Promise<Answer>;
  close(): Promise<void>;
}

/** A client of somebody else's making. */
export interface Peer {
  readonly name: string;
  signIn(mcp: URL, person?: Person): Promise<SignedIn>;
}

/** A client that the authorization server knows beforehand. */
export interface KnownClient {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What an SDK client remembers, and the browser that it sends away. */
export function createMemory(known?: KnownClient) {
  let [information, tokens, verifier]: [unknown, unknown, string] = [known, undefined, ''];
  let sent: URL | null = null;
  let discovered: unknown;
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'Flow',
      redirect_uris: [REDIRECT],
      grant_types: ['authorization_code', 'refresh_token'],
    },
    state: () => 'state-of-the-client',
    clientInformation: () => information,
    saveClientInformation: (value: unknown) => {
      information = value;
    },
    tokens: () => tokens,
    saveTokens: (value: unknown) => {
      tokens = value;
    },
    redirectToAuthorization: (url: URL) => {
      sent = url;
    },
    saveCodeVerifier: (value: string) => {
      verifier = value;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (value: unknown) => {
      discovered = value;
    },
    discoveryState: () => discovered,
  };
  const follow = async (person?: Person): Promise<URLSearchParams> => {
    if (sent === null) throw new Error('the client sent nobody away');
    const { searchParams } = await browse(sent, person);
    const error = searchParams.get('error');
    if (error !== null) throw new Error(`${error}: ${searchParams.get('error_description')}`);
    return searchParams;
  };
  const expire = () => {
    tokens = { ...(tokens as object), access_token: 'expired' };
  };
  // both SDKs describe this object with types of their own
  return { provider: provider as unknown as OAuthClientProvider, follow, expire };
}

export function toAnswer({ content, isError }: Readonly<Record<string, unknown>>): Answer {
  const parts = Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '') : [];
  return { text: parts.join('\n'), isError: isError === true };
}

/** The client of SDK 2. */
export const sdk2 = (known?: KnownClient, overSse = false): Peer => ({
  name: 'SDK 2',
  signIn: async (mcp, person) => {
    const { provider, follow } = createMemory(known);
    const connect = async () => {
      const client = new Client({ name: 'flow', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const Chosen = overSse ? SSEClientTransport : StreamableHTTPClientTransport;
      const transport = new Chosen(mcp, { authProvider: provider });
      await client.connect(transport).catch(async (thrown) => {
        if (!(thrown instanceof UnauthorizedError)) throw thrown;
        await transport.finishAuth(await follow(person));
      });
      return client;
    };
    await (await connect()).close();
    const client = await connect();
    return {
      call: async (name) => toAnswer(await client.callTool({ name, arguments: {} })),
      close: () => client.close(),
    };
  },
});

/** The client of SDK 1. */
export const sdk1 = (known?: KnownClient, overSse = false): Peer => ({
  name: 'SDK 1',
  signIn: async (mcp, person) => {
    const { provider, follow } = createMemory(known);
    const connect = async () => {
      const client = new OldClient({ name: 'flow', version: '1' });
      const Chosen = overSse ? OldSseTransport : OldTransport;
      const transport = new Chosen(mcp, { authProvider: provider as never });
      await client.connect(transport as Transport).catch(async (thrown) => {
        if (!(thrown instanceof OldUnauthorizedError)) throw thrown;
        await transport.finishAuth((await follow(person)).get('code') ?? '');
      });
      return client;
    };
    await (await connect()).close();
    const client = await connect();
    return {
      call: async (name) => toAnswer(await client.callTool({ name, arguments: {} })),
      close: () => client.close(),
    };
  },
});

const INSECURE = { [oauth.allowInsecureRequests]: true } as const;

/** Tokens by oauth4webapi, the strictest reader, and what they were got with. */
export async function signInStrictly(mcp: URL, person?: Person, scope?: string) {
  const resource = await oauth.processResourceDiscoveryResponse(
    mcp,
    await oauth.resourceDiscoveryRequest(mcp, INSECURE),
  );
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const found = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...INSECURE });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const metadata = {
    client_name: 'Flow',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, metadata, INSECURE),
  );
  const proof = oauth.ClientSecretPost(String(client.client_secret));
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const url = new URL(server.authorization_endpoint ?? '');
  url.search = new URLSearchParams({
    ...{
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: REDIRECT,
      state,
      resource: mcp.href,
      ...(scope && { scope }),
    },
    ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
  }).toString();
  const parameters = oauth.validateAuthResponse(server, client, await browse(url, person), state);
  const more = { ...INSECURE, additionalParameters: { resource: mcp.href } };
  const redeem = () =>
    oauth
      .authorizationCodeGrantRequest(server, client, proof, parameters, REDIRECT, verifier, more)
      .then((response) => oauth.processAuthorizationCodeResponse(server, client, response));
  const tokens = await redeem();
  return {
    tokens,
    redeem,
    refresh: async (token: string) =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, proof, token, more),
      ),
    revoke: async (token: string) =>
      oauth.processRevocationResponse(await oauth.revocationRequest(server, client, proof, token, INSECURE)),
  };
}

/** A call of the newest revision with nothing but a token. */
export async function callWith(
  mcp: URL,
  token: string,
  tool: string,
): Promise<Answer & { readonly status: number }> {
  const { body, headers } = modern('tools/call', { name: tool, arguments: {} });
  const response = await fetch(mcp, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json().catch(() => ({}))) as { result?: Record<string, unknown> };
  return { ...toAnswer(answer.result ?? {}), status: response.status };
}

/** oauth4webapi for the tokens, and a plain request for the call. */
export const strict: Peer = {
  name: 'oauth4webapi',
  signIn: async (mcp, person) => {
    const { tokens } = await signInStrictly(mcp, person);
    return { call: (tool) => callWith(mcp, tokens.access_token, tool), close: async () => undefined };
  },
};
