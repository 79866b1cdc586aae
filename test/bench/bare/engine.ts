import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../../../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../../../adapters/duckdb-wasm/in-process.ts';

/* What the engine alone costs: compile, open the file named in argv, answer one query, end. */

const [, , path = ''] = process.argv;
const { wasm, trampolines } = await compileEngine();
const database = await openWasm({ wasm, trampolines, file: pathFile(path) });
const signal = new AbortController().signal;
const request = { sql: 'SELECT 42 AS answer', values: [], mode: 'read', maxRows: 10 } as const;
const { rows } = await database.run(request, { caller: null, signal, timeoutMs: 10_000 });
process.stdout.write(`${JSON.stringify(rows)}\n`);
process.exit(0);
