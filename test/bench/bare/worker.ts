import { bytesFile, openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';
import wasm from './duckdb.wasm';
import trampolines from './trampolines.wasm';

/* What the engine alone costs in workerd: each first request instantiates it, opens the database, and asks it. */

interface Bindings {
  readonly ASSETS: { fetch(url: string): Promise<Response> };
}

async function answer({ ASSETS }: Bindings): Promise<Response> {
  const asset = await ASSETS.fetch('http://assets/data.duckdb');
  const file = bytesFile(new Uint8Array(await asset.arrayBuffer()));
  const database = await openWasm({ wasm, trampolines, file });
  const request = {
    sql: 'SELECT max(id) AS most FROM customers',
    values: [],
    mode: 'read',
    maxRows: 1,
  } as const;
  const call = { caller: null, signal: new AbortController().signal, timeoutMs: 30_000 };
  return Response.json((await database.run(request, call)).rows);
}

// biome-ignore lint/style/noDefaultExport: the platform's entry has no other form
export default { fetch: (_request: Request, bindings: Bindings) => answer(bindings) };
