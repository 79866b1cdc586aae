import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SvcError } from '../../src/errors.ts';
import { VERSION } from '../../src/version.ts';
import { type Met, toCallError } from './errors.ts';

/** A running server, asked as its clients ask it. */
export interface ClientSession {
  /** Runs work with the client; what goes wrong is told by what the server answered. */
  ask<T>(work: (client: Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Connects to a server's MCP endpoint in the newest revision that it speaks. */
export async function openSession(url: string, token: string | null): Promise<ClientSession> {
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

/** The client's own errors seldom say what the server answered. */
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
