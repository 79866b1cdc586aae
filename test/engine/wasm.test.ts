import { openWasmPool } from '../../adapters/duckdb-wasm/node.ts';
import { describeEngine } from './contract.ts';

describeEngine('duckdb-wasm', (path, options) => openWasmPool({ path, ...options }));
