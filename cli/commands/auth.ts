import * as v from 'valibot';
import { generateApiKey } from '../../src/crypto/api-key.ts';
import { generateKey } from '../../src/crypto/keys.ts';
import { SvcError } from '../../src/errors.ts';
import { API_KEY } from '../../src/settings/schema/auth.ts';
import type { CommandInput, Run } from '../command.ts';

/** `svc auth keygen` and `svc auth api-key`: make keys and print them once. */
export const run: Run = async (input, output) => {
  const [action = ''] = input.args;
  if (action === 'keygen') return keygen(input, output);
  if (action === 'api-key') return apiKey(input, output);
  throw new SvcError(
    'usage',
    `svc auth ${action} is not known. Write svc auth keygen or svc auth api-key <name>.`,
  );
};

/** Prints a new key for sealing tokens. */
const keygen: Run = async (input, output) => {
  if (input.args[1] !== undefined || input.list('scope').length > 0 || input.text('expires') !== undefined) {
    throw new SvcError(
      'usage',
      'svc auth keygen takes no name, --scope or --expires. A key for a machine: svc auth api-key <name>.',
    );
  }
  const { kid, secret } = generateKey();
  const entry = `${kid}:${secret}`;
  output.data({ status: 'ok', kid, secret, entry }, () => entry);
  if (!output.json) output.note(HOW);
  return 0;
};

const HOW = `Set SVC_AUTH_KEYS to this line on every instance of the server. It is a secret.
To rotate keys: 1. append the new entry to the present value after a comma, on every instance;
2. move it to the front; 3. remove the old entry when its tokens have expired (after 90 days with a store, else an hour).`;

/** Prints a new API key for a machine, and its entry for the user file. */
const apiKey: Run = async (input, output) => {
  const { key, hash } = await generateApiKey();
  const entry = toEntry(input, hash);
  output.data({ status: 'ok', key, entry }, () => key);
  if (!output.json) output.note(`${ONCE}\n\n  - ${JSON.stringify(entry)}\n\n${USE}`);
  return 0;
};

const ONCE = `The key above is shown only now. Give it to the machine as a secret.
Paste this entry, which contains no secret, under \`auth.api_keys\` of the profile in the user file:`;
const USE = `Add \`user\` to the entry if policies need an email address, a role or groups. Then reload the server (SIGHUP or
\`svc admin reload\`); a server without sign-in must be restarted, and an artefact built and deployed again. The machine sends \`Authorization: Bearer <key>\`.`;

/** The entry of `auth.api_keys`. Throws `usage` for a value that the user file would refuse. */
function toEntry(input: CommandInput, hash: string) {
  const [, name] = input.args;
  if (name === undefined) throw new SvcError('usage', 'Name the machine: svc auth api-key nightly-report.');
  const [scopes, expires] = [input.list('scope'), input.text('expires')];
  const entry = {
    name,
    hash,
    ...(scopes.length > 0 ? { scopes: [...scopes] } : {}),
    ...(expires === undefined ? {} : { expires }),
  };
  const [issue] = v.safeParse(API_KEY, entry).issues ?? [];
  if (issue === undefined && expires !== undefined && Date.parse(expires) <= Date.now()) {
    throw new SvcError('usage', `--expires ${expires} has passed. Give a time in the future.`);
  }
  if (issue === undefined) return entry;
  const [, message = '', fix = ''] = issue.message.split('\n');
  throw new SvcError('usage', `${issue.path?.[0]?.key} ${message} ${fix}`);
}
