import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { openNative } from '../../adapters/duckdb-native/open.ts';
import { startHttpServer } from '../../adapters/node/http/server.ts';
import { openProjectFiles } from '../../adapters/node/project/project-files.ts';
import { createApp } from '../../src/app.ts';
import { createRuntime } from '../../src/call/runtime.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { LOCAL_ACCESS } from '../../src/http/access.ts';
import type { ReceivedMessage } from '../../src/mcp/transport/streamable-http.ts';
import { loadProject } from '../../src/project/load.ts';
import type { Running } from './platforms.ts';

/** A server that answers each plain request twice: on the direct path, and with the MCP SDK. */
export interface BothWays extends Running {
  /** The requests whose two answers differ. */
  readonly differences: readonly string[];
  /** The number of requests that were answered twice. */
  readonly compared: () => number;
}

/** Serves a project over its database with the native engine, in this process. */
export async function startBothWays(root: string, database: string): Promise<BothWays> {
  const catalog = await compileCatalog(await loadProject(await openProjectFiles(root), root));
  const opened = await openNative({ path: join(root, database), readonly: true });
  const log = () => {};
  const runtime = createRuntime({ catalog, open: async () => opened, log });
  const received = new AsyncLocalStorage<{ direct: boolean }>();
  const onMessage = ({ direct }: ReceivedMessage) => {
    const request = received.getStore();
    if (request !== undefined) request.direct = direct;
  };
  const own = { runtime: () => runtime, version: '1.0.0', stateless: true, log };
  const options = { ...own, access: LOCAL_ACCESS, onMessage };
  const [direct, sdk] = [createApp(options), createApp({ ...options, onlySdk: true })];
  const differences: string[] = [];
  let compared = 0;
  const app = {
    fetch: async (request: Request) => {
      const extra = { requestId: crypto.randomUUID(), signal: request.signal };
      const body = request.method === 'POST' ? await request.text() : null;
      const again = () =>
        new Request(request.url, { method: request.method, headers: request.headers, body });
      const seen = { direct: false };
      const response = await received.run(seen, () => direct.fetch(again(), extra));
      if (!seen.direct) return response;
      compared += 1;
      const [ours, theirs] = [await toText(response.clone()), await toText(await sdk.fetch(again(), extra))];
      if (ours !== theirs) differences.push(`${body}\n${ours}\n${theirs}`);
      return response;
    },
  };
  const server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  return {
    reach: { kind: 'http', url: new URL(`${server.url}/mcp`) },
    differences,
    compared: () => compared,
    close: async () => {
      await server.close();
      await opened.close();
    },
  };
}

async function toText(response: Response): Promise<string> {
  return JSON.stringify([response.status, [...response.headers], await response.text()]);
}
