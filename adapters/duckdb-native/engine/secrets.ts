import type { DuckDBConnection } from '@duckdb/node-api';
import { SvcError } from '../../../src/errors.ts';
import type { DatabaseSecret, SecretValue } from '../options.ts';

/** Creates the secrets whose type the database knows; returns the names of the others (spec, "Secret definition"). */
export async function applySecrets(
  connection: DuckDBConnection,
  secrets: readonly DatabaseSecret[],
): Promise<readonly string[]> {
  const skipped: string[] = [];
  for (const secret of secrets) {
    const statement = toSecretStatement(secret);
    if (statement === null || !(await create(connection, secret, statement))) skipped.push(secret.name);
  }
  return skipped;
}

/** Returns the statement that creates a secret for this process; null if the type or the parameters do not fit. */
export function toSecretStatement({ name, type, parameters }: DatabaseSecret): string | null {
  const entries = Object.entries(parameters);
  if (entries.length === 0 || !/^[A-Za-z]\w*$/.test(type)) return null;
  const written = entries.map(([key, value]) => `${quoteName(key)} ${toValue(value)}`);
  return `CREATE OR REPLACE TEMPORARY SECRET ${quoteName(name)} (TYPE ${quoteName(type)}, ${written.join(', ')})`;
}

async function create(
  connection: DuckDBConnection,
  { name, type }: DatabaseSecret,
  statement: string,
): Promise<boolean> {
  try {
    await connection.run(statement);
    return true;
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : '';
    if (/Secret type '[^']*' (not found|does not exist)/.test(text)) return false;
    // DuckDB's message may quote a secret value.
    const parameter = /Unknown parameter '(\w+)'/.exec(text)?.[1];
    const why =
      parameter === undefined ? 'the database refuses its parameters' : `${type} has no ${parameter}`;
    throw new SvcError('config_invalid', `The secret ${name} of type ${type} cannot be used: ${why}.`);
  }
}

function toValue(value: SecretValue): string {
  if (typeof value !== 'object') return typeof value === 'string' ? quoteText(value) : String(value);
  const entries = Object.entries(value);
  return `MAP {${entries.map(([key, item]) => `${quoteText(key)}: ${toMapValue(item)}`).join(', ')}}`;
}

/** Writes a value of a map as text, because all values of a map have one type. */
function toMapValue(value: SecretValue): string {
  return typeof value === 'object' ? toValue(value) : quoteText(String(value));
}

function quoteText(text: string): string {
  return `'${withoutNul(text).replaceAll("'", "''")}'`;
}

function quoteName(name: string): string {
  return `"${withoutNul(name).replaceAll('"', '""')}"`;
}

function withoutNul(text: string): string {
  if (!text.includes('\0')) return text;
  throw new SvcError(
    'config_invalid',
    'A secret for the database has a NUL character, which SQL cannot carry.',
  );
}
