import type { EndpointFile } from '../../../src/project/model.ts';
import { checkHolders, toKeyText, toWhoMay, unusedKeyScopes } from '../../../src/quality/sign-in/who-may.ts';
import { accessIssues } from '../../../src/settings/checks/access.ts';
import { apiKeyIssues } from '../../../src/settings/checks/api-keys.ts';
import { toKey } from '../../../src/settings/effective/tree.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { type Check, ok, warning } from '../check.ts';

/** Shows who may use the server and who holds each scope, with a warning for each risk. */
export function checkWhoMay({
  settings: { auth },
  endpoints: files,
}: {
  readonly settings: Settings;
  readonly endpoints: readonly EndpointFile[];
}): readonly Check[] {
  const served = files.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const whoMay = toWhoMay(auth, served);
  if (whoMay === null) return [];
  const scopes = whoMay.scopes
    .filter(({ scope, held_by }) => scope !== 'svc:access' && held_by.length > 0)
    .map(({ scope, held_by, needed_by }) => {
      const needed = needed_by.length === 0 ? 'no endpoint needs it' : `needed by ${needed_by.join(', ')}`;
      return ok('scope', `${scope} is held by ${held_by.join('; ')}; ${needed}`);
    });
  const found = [...accessIssues(auth), ...apiKeyIssues(auth, Date.now()), ...unusedKeyScopes(files, auth)];
  const issues = found.map(({ code, path, message, fix }) =>
    warning(code, `\`${toKey(['auth', ...path])}\` ${message}`, fix),
  );
  const unheld = checkHolders(files, auth).map(({ code, message, fix }) => warning(code, message, fix));
  const keys = whoMay.api_keys.map((key) => ok('api-key', toKeyText(key)));
  return [ok('may-sign-in', whoMay.allowed), ...keys, ...scopes, ...issues, ...unheld];
}
