import type { RequestContext, User } from '../context.ts';
import type { SqlCaller } from '../ports.ts';

/** Headers are read only for somebody who is authenticated: making a map of them costs as much as the call. */
export function toSqlCaller(context: RequestContext): SqlCaller | null {
  return context.user === null ? null : { ...identityOf(context.user), headers: context.headers };
}

function identityOf({ externalToken, username, provider, email }: User): Omit<SqlCaller, 'headers'> {
  return { externalToken, username, provider, email };
}
