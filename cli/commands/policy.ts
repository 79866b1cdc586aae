import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { policyMatrix } from '../../src/quality/matrix/matrix.ts';
import {
  declaredContexts,
  type MatrixUser,
  toKeyUsers,
  toMatrixUsers,
} from '../../src/quality/matrix/users.ts';
import { checkPolicyReach } from '../../src/quality/policy-reach.ts';
import { checkSignIn, toWhoMay } from '../../src/quality/sign-in/who-may.ts';
import type { Run } from '../command.ts';
import type { CommandInput } from '../io/command-input.ts';
import { toFindingLines } from '../io/findings.ts';
import { toMatrixText, toWhoMayText } from '../policy/matrix-text.ts';
import { readParamText } from '../project/param-option.ts';
import { checkProject, siteOf, soundPart } from '../project/project.ts';
import { checkProjectSettings } from '../project/settings.ts';

const OPTION = '--user-context';

/** `svc policy matrix`: shows which users may call which endpoints and see which fields, without calling any. */
export const run: Run = async (input, output) => {
  const [action = 'matrix'] = input.args;
  if (action !== 'matrix') throw new SvcError('usage', `svc policy ${action} is not known. Choose matrix.`);
  const checked = await checkProject(input);
  siteOf(checked);
  const sound = soundPart(checked).endpoints;
  const endpoints = sound.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const broken = checked.project.endpoints.filter((file) => !sound.includes(file)).map(({ file }) => file);
  const { settings, at } = await checkProjectSettings(input, checked);
  const { api_keys, required_scopes } = settings?.auth ?? { api_keys: null, required_scopes: [] };
  const users = await usersOf(input, declaredContexts(endpoints), toKeyUsers(api_keys ?? [], Date.now()));
  const rows = policyMatrix(endpoints, users, required_scopes);
  const whoMay = settings && toWhoMay(settings.auth, endpoints);
  const held = settings ? checkSignIn(sound, settings.auth, at) : [];
  const findings = [...(await checkPolicyReach(sound)), ...held];
  const document = {
    status: broken.length > 0 ? 'error' : 'ok',
    users: users.map(({ name, context }) => ({ name, user_context: context })),
    sign_in: whoMay,
    endpoints: rows,
    findings: findings.map((finding) => ({ ...finding })),
    not_checked: broken,
  };
  output.data(document, () =>
    [
      ...(whoMay ? [toWhoMayText(whoMay), ''] : []),
      ...(settings
        ? []
        : [
            'The configuration has errors, so the rules of sign-in are not shown; svc validate shows them.',
            '',
          ]),
      toMatrixText(rows, users),
      ...(findings.length > 0 ? ['', toFindingLines(findings)] : []),
      ...broken.map((file) => `${file} has errors and is not in the matrix; svc validate shows them.`),
    ].join('\n'),
  );
  return broken.length > 0 ? 1 : 0;
};

/** The users of the command line; without any, the users of the project's tests and the API keys. */
async function usersOf(
  input: CommandInput,
  declared: readonly JsonObject[],
  keys: readonly MatrixUser[],
): Promise<readonly MatrixUser[]> {
  const roles = input.list('role').map((role) => ({ role }));
  const given = (await Promise.all(input.list('userContext').map(contextsOf))).flat();
  const own = [...roles, ...given];
  return own.length > 0 ? toMatrixUsers(own, OPTION) : [...toMatrixUsers(declared, 'user_context'), ...keys];
}

/** Reads JSON, or the file after `@`; a file may hold a list of users. */
async function contextsOf(given: string): Promise<readonly JsonObject[]> {
  const json = given.startsWith('@') ? await readParamText(given.slice(1), OPTION) : given;
  const parsed = parse(json);
  const list = Array.isArray(parsed) ? parsed : [parsed];
  if (list.every(isObject)) return list;
  throw new SvcError('usage', `${OPTION} must be a JSON object, or a list of them.`);
}

function parse(json: string): JsonValue {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new SvcError('usage', `${OPTION} is not JSON: ${String(cause)}`, { cause });
  }
}
