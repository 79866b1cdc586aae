import type { Client } from '@modelcontextprotocol/client';
import { CLIENT_PART, loadPart } from '../../adapters/optional-packages.ts';
import { SvcError } from '../../src/errors.ts';
import { VERSION } from '../../src/version.ts';
import { type Met, toCallError } from './errors.ts';

/** A connection to a running server, through the same client library that MCP clients use. */
export interface ClientSession {
  /** Runs work with the client. Errors are explained by the server's HTTP answer. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a server's MCP endpoint in the newest revision that the server speaks. */
export async function openSession(url: string, token: string | null): Promise<ClientSession> {
  const { Client, StreamableHTTPClientTransport } = await loadPart(
    CLIENT_PART,
    () => import('@modelcontextprotocol/client'),
  );
  const met: Met = { url, token: token !== null, status: null, unreachable: null };
  const client = new Client({ name: 'svc', version: VERSION }, { versionNegotiation: { mode: 'auto' } });
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    fetch: (address, init) => watched(met, address, init),
  });
  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw thrown instanceof SvcError ? thrown : toCallError(thrown, met);
    }
  };
  await ask(() => client.connect(transport));
  return { ask: (work) => ask(() => work(client)), close: () => client.close() };
}

/** Remembers the HTTP answer, because the client library's own errors seldom contain it. */
async function watched(met: Met, url: string | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    met.status = response.status;
    return response;
  } catch (thrown) {
    met.unreachable = thrown;
    throw thrown;
  }
}
