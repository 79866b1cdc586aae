import { enforcePublicUrls } from '../src/auth/public-urls.ts';
import { messageOf } from '../src/errors.ts';
import { isObject, type JsonValue } from '../src/json.ts';
import type { Finding } from '../src/project/finding.ts';
import { leavesOf, valueAt } from '../src/settings/effective/tree.ts';
import { parseReferences } from '../src/settings/references/reference.ts';
import { readUserFile } from '../src/settings/user-file.ts';
import { CONFIG_FILE } from './targets/target.ts';

/**
 * Warns about a built-in user file with sign-in whose address is not safe for tokens: such an artefact starts on loopback
 * only, so not in its container. References are not resolved at the build, so an address with one counts as safe.
 */
export function checkAddress(config: string): readonly Finding[] {
  const { user } = readUserFile(new TextEncoder().encode(config), CONFIG_FILE);
  const http = valueAt(user?.yaml.value, ['transport', 'http']);
  if (leavesOf(http ?? null).some(({ value }) => isReference(value))) return [];
  const { base_url, trust_proxy, scheme } = isObject(http) ? http : {};
  const settings = {
    base_url: typeof base_url === 'string' ? base_url : null,
    trust_proxy: trust_proxy === true,
    scheme: scheme === 'https' ? ('https' as const) : ('http' as const),
  };
  try {
    enforcePublicUrls(settings, { host: '0.0.0.0' });
    return [];
  } catch (thrown) {
    const [message = '', ...fix] = messageOf(thrown).split('\n');
    const place = { file: CONFIG_FILE, line: 0, column: 0 };
    const told = `keeps the artefact from starting in its container, or with another HOST than this machine: ${message}`;
    return [
      {
        severity: 'warning',
        code: 'address-unsafe',
        ...place,
        message: `\`transport.http\` ${told}`,
        fix: fix.join(' '),
      },
    ];
  }
}

function isReference(value: JsonValue): boolean {
  return typeof value === 'string' && parseReferences(value).kind !== 'literal';
}
