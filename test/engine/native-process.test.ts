import { openProcess } from '../../adapters/duckdb-native/process/open.ts';
import { describeEngine } from './contract.ts';

describeEngine('duckdb-native', (path, options) => openProcess({ path, readonly: true, ...options }));
