import type { PythonSettings } from '../../../src/ports.ts';

/** Secrets and configuration as the contract knows them, here and in artefacts. */
export const SETTINGS: PythonSettings = {
  secret: (name) => (name === 'rates' ? { key: 's3cret', host: 'rates.example', nested: { a: 1 } } : null),
  conceal: (text) => text.replaceAll('s3cret', '[REDACTED]'),
  config: () => ({ site: { project: 'tested', sql_tools: { enabled: true } }, user: { models: {} } }),
};
