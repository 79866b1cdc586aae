import { openWasmPool } from '../../adapters/duckdb-wasm/pool/open.ts';
import { describeEngine } from './contract.ts';

describeEngine('duckdb-wasm', (path, options) => openWasmPool({ path, ...options }));
