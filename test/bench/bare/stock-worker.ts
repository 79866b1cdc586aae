import * as stock from '@duckdb/duckdb-wasm/blocking';
import wasm from './duckdb.wasm';
import trampolines from './trampolines.wasm';

/*
 * @duckdb/duckdb-wasm in workerd, with the least that makes it start there: its module is handed over compiled, and a
 * stand-in for WebAssembly.Function makes table entries that it never calls.
 */

interface Bindings {
  readonly ASSETS: { fetch(url: string): Promise<Response> };
}

type Callback = (...args: number[]) => number;

Object.assign(globalThis, {
  setImmediate: (run: () => void) => setTimeout(run, 0),
});
/** Called with `new`, which an arrow function is not. */
function tableEntry(_type: unknown, callback: Callback): WebAssembly.ExportValue | undefined {
  const e = Object.fromEntries(WebAssembly.Module.imports(trampolines).map(({ name }) => [name, callback]));
  return new WebAssembly.Instance(trampolines, { e }).exports.scalar;
}

Object.assign(WebAssembly, { Function: tableEntry });

/** What of the engine is replaced; the package does not say that it has it. */
interface Loading {
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: unknown) => void,
  ): unknown;
}

async function open(): Promise<Awaited<ReturnType<typeof stock.createDuckDB>>> {
  const nowhere = { mainModule: '-', mainWorker: '-' };
  const runtime = { ...stock.DEFAULT_RUNTIME, testPlatformFeature: () => true };
  const database = await stock.createDuckDB({ mvp: nowhere, eh: nowhere }, new stock.VoidLogger(), runtime);
  const loading = database as unknown as Loading;
  await new Promise<void>((resolve, reject) => {
    loading.instantiateWasm = (imports, done) => {
      Object.assign(globalThis, { DUCKDB_RUNTIME: runtime });
      WebAssembly.instantiate(wasm, imports)
        .then((instance) => done(instance, wasm))
        .catch(reject);
      return [];
    };
    database.instantiate(() => {}).then(() => resolve(), reject);
  });
  return database;
}

async function answer({ ASSETS }: Bindings): Promise<Response> {
  const asset = await ASSETS.fetch('http://assets/data.duckdb');
  const bytes = new Uint8Array(await asset.arrayBuffer());
  const database = await open();
  database.registerFileBuffer('data.duckdb', bytes);
  database.open({ path: 'data.duckdb', accessMode: stock.DuckDBAccessMode.READ_ONLY });
  const result = database.connect().query('SELECT max(id)::INTEGER AS most FROM customers');
  return Response.json(result.toArray().map((row) => row.toJSON()));
}

// biome-ignore lint/style/noDefaultExport: the platform's entry has no other form
export default { fetch: (_request: Request, bindings: Bindings) => answer(bindings) };
