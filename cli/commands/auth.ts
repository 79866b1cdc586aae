import { generateKey } from '../../src/crypto/keys.ts';
import { SvcError } from '../../src/errors.ts';
import type { Run } from '../command.ts';

/** `svc auth keygen`: prints a new key for sealing tokens. */
export const run: Run = async (input, output) => {
  const [action] = input.args;
  if (action !== 'keygen') {
    throw new SvcError('usage', `svc auth ${action} is not known. Write svc auth keygen.`);
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
