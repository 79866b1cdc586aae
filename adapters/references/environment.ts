import { unresolved } from './unresolved.ts';

/** The platform's variables: a process's environment, a Worker's text bindings. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The value of a variable, which may be empty but must be there. */
export function readVariable(variables: Variables, name: string): string {
  const value = lookUp(variables, name);
  if (value !== undefined) return value;
  throw unresolved('is an environment variable that is not set.', `Set ${name} before svc starts.`);
}

/** A token for a header. */
export function readToken(variables: Variables, name: string): string {
  const token = lookUp(variables, name)?.trim();
  if (token === undefined) {
    throw unresolved(`needs a token, and ${name} is not set.`, `Set ${name} before svc starts.`);
  }
  // a header's own complaint would quote the token
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw unresolved(`needs the token in ${name}, which is not one.`, `Set ${name} to a valid token.`);
}

function lookUp(variables: Variables, name: string): string | undefined {
  return Object.hasOwn(variables, name) ? variables[name] : undefined;
}
