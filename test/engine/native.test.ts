import { openNative } from '../../adapters/duckdb-native/open.ts';
import { describeEngine } from './contract.ts';

describeEngine('duckdb-native', (path, options) => openNative({ path, readonly: true, ...options }));
