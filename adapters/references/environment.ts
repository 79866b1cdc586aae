import { unresolved } from './unresolved.ts';

/** The variables of a platform: the environment of a process, or the text bindings of a Worker. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** Reads a variable, which may be empty; throws `reference_unresolved` if it is not set. */
export function readVariable(variables: Variables, name: string): string {
  const value = lookUp(variables, name);
  if (value !== undefined) return value;
  throw unresolved('names an environment variable that is not set.', `Set ${name} before svc starts.`);
}

/**
 * Reads a token that is sent as a header; throws `reference_unresolved` if it is not set or no valid header.
 */
export function readToken(variables: Variables, name: string): string {
  const token = lookUp(variables, name)?.trim();
  if (token === undefined) {
    throw unresolved(`needs a token, and ${name} is not set.`, `Set ${name} before svc starts.`);
  }
  // The error of `Headers` would quote the token.
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw unresolved(
    `needs the token in ${name}, which contains spaces or characters beyond ASCII.`,
    `Set ${name} to a valid token.`,
  );
}

function lookUp(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}
