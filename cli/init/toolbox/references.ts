import { SvcError } from '../../../src/errors.ts';
import type { JsonValue } from '../../../src/json.ts';

/** `${NAME}`, `${NAME:default}`, `${NAME:-default}` and `${NAME:?message}`. */
const REFERENCE = /\$\{(\w+)(?::([-?]?)([^}]*))?\}/g;

/**
 * Replaces references to environment variables, as MCP Toolbox does at its start. The site file holds none.
 *
 * @throws usage for a variable that is not set and has no default.
 */
export function resolveText(
  value: JsonValue | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (value === undefined || value === null) return '';
  return String(value).replaceAll(REFERENCE, (_, name: string, mark = '', rest?: string) => {
    const found = env[name];
    if (found !== undefined && !(found === '' && mark !== '')) return found;
    if (rest !== undefined && mark !== '?') return rest;
    throw new SvcError(
      'usage',
      `The variable ${name} of the tools file is not set. Nothing was written. Set it as for MCP Toolbox, and run the command again.`,
    );
  });
}

/** The text with references in the form of the user file, which knows no defaults. */
export function toReference(value: JsonValue): string {
  return String(value).replaceAll(REFERENCE, (_, name: string) => `\${${name}}`);
}
