import { builtinTools } from '../../src/catalog/builtin.ts';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import { SITE_NAME, type SiteFile } from '../../src/project/site-model.ts';
import {
  declaredContexts,
  type MatrixRow,
  type MatrixUser,
  policyMatrix,
  toKeyUsers,
  toMatrixUsers,
} from '../../src/quality/matrix/matrix.ts';
import { checkPolicyReach } from '../../src/quality/policy-reach.ts';
import type { EndpointAccess } from '../../src/quality/reachability/access.ts';
import { checkSignIn, toKeyText, toWhoMay, type WhoMay } from '../../src/quality/sign-in/who-may.ts';
import type { CommandInput, Run } from '../command.ts';
import { toFindingLines } from '../io/findings.ts';
import { styled, toColumns } from '../io/output.ts';
import { readParamText } from '../project/options.ts';
import { checkProject, siteFileOf, soundPart } from '../project/project.ts';
import { checkProjectSettings } from '../project/settings.ts';

const OPTION = '--user-context';

/** `svc policy matrix`: shows which users may call which endpoints and see which fields, without calling any. */
export const run: Run = async (input, output) => {
  const [action = 'matrix'] = input.args;
  if (action !== 'matrix') throw new SvcError('usage', `svc policy ${action} is not known. Choose matrix.`);
  const checked = await checkProject(input);
  const site = siteFileOf(checked);
  const sound = soundPart(checked).endpoints;
  const endpoints = sound.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const broken = checked.project.endpoints.filter((file) => !sound.includes(file)).map(({ file }) => file);
  const { settings, at } = await checkProjectSettings(input, checked);
  const { api_keys, required_scopes } = settings?.auth ?? { api_keys: null, required_scopes: [] };
  const users = await usersOf(input, declaredContexts(endpoints), toKeyUsers(api_keys ?? [], Date.now()));
  const rows = [
    ...policyMatrix(endpoints, users, required_scopes),
    ...sqlToolRows(site, users, required_scopes),
  ];
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

/** The rows of the SQL tools, whose rules the site file has. */
function sqlToolRows(
  site: SiteFile,
  users: readonly MatrixUser[],
  required: readonly string[],
): readonly MatrixRow[] {
  const tools = builtinTools(site).map((tool) => ({ ...tool, file: SITE_NAME }));
  const rows_depend_on_caller = site.sqlTools.tables !== null;
  return policyMatrix(tools, users, required).map((row) => ({ ...row, rows_depend_on_caller }));
}

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

const STYLES = { allow: 'ok', deny: 'error', depends: 'warning' } as const;

/** Formats who may use the server, and who holds each scope. */
function toWhoMayText({ allowed, api_keys, scopes }: WhoMay): string {
  const head = ['scope', 'held by', 'needed by'].map((cell) => styled('strong', cell));
  const rows = scopes.map(({ scope, held_by, needed_by }) => [
    scope,
    held_by.length === 0 ? styled('warning', 'nobody') : held_by.join('; '),
    needed_by.join(', ') || '-',
  ]);
  const keys = api_keys.map((key) => `API key: ${toKeyText(key)}`);
  return [`may sign in: ${allowed}`, ...keys, '', toColumns([head, ...rows])].join('\n');
}

/** Formats the matrix for people: access by user and endpoint, with a legend below. */
function toMatrixText(rows: readonly MatrixRow[], users: readonly MatrixUser[]): string {
  const head = ['endpoint', ...users.map(({ name }) => name)].map((cell) => styled('strong', cell));
  const body = rows.map((row) => [row.endpoint, ...users.map(({ name }) => toCell(row.access[name]))]);
  const details = rows.flatMap((row) => toDetails(row, users));
  const more = details.length > 0 ? ['', ...details] : [];
  return [toColumns([head, ...body]), ...toUsers(users), ...more, '', LEGEND].join('\n');
}

const LEGEND = styled(
  'dim',
  'depends: on arguments, data or time, see below · *: some fields are or may be hidden',
);

function toCell(access: EndpointAccess | undefined): string {
  if (access === undefined) return '';
  const mark = access.fields.some((field) => field.access !== 'shown') ? '*' : '';
  return `${styled(STYLES[access.call], access.call)}${mark}`;
}

function toDetails(row: MatrixRow, users: readonly MatrixUser[]): readonly string[] {
  const said = users.flatMap(({ name }) => {
    const access = row.access[name];
    return access ? toUserLines(access).map((line) => ({ name, line })) : [];
  });
  const lines = [...Map.groupBy(said, ({ line }) => line)].map(([line, own]) => {
    const names = own.length === users.length ? 'every user' : own.map(({ name }) => name).join(', ');
    return [`  ${names}`, line];
  });
  const notes = [
    ...(row.scopes.length > 0 ? [`  user and token must hold: ${row.scopes.join(' ')}`] : []),
    ...(row.rows_depend_on_caller ? [`  rows depend on the caller: ${reasonOf(row)}`] : []),
  ];
  if (lines.length + notes.length === 0) return [];
  return [
    `${styled('strong', row.endpoint)}  ${styled('dim', row.path)}`,
    ...notes,
    ...(lines.length > 0 ? [toColumns(lines)] : []),
  ];
}

function reasonOf({ path }: MatrixRow): string {
  return path === SITE_NAME
    ? '`sql_tools.tables` has rules for tables, rows and columns'
    : 'the SQL reads the identity of the caller';
}

/** Lists the users whose names do not describe them completely. */
function toUsers(users: readonly MatrixUser[]): readonly string[] {
  const unclear = users.filter(
    ({ name, context }) => context && (context.role !== name || Object.keys(context).length > 1),
  );
  if (unclear.length === 0) return [];
  return [
    '',
    toColumns(unclear.map(({ name, context }) => [styled('strong', name), JSON.stringify(context)])),
  ];
}

function toUserLines({ call, rules, reason, depends_on, fields }: EndpointAccess): readonly string[] {
  const by = rules.join(', ');
  const why = reason === null ? '' : `: ${reason}`;
  const denied = call === 'deny' ? [`denied by ${by}${why}`] : [];
  const open = call === 'depends' ? [`depends on ${depends_on.join(', ')}, by ${by}${why}`] : [];
  const hidden = (['filtered', 'masked', 'depends'] as const).flatMap((access) => {
    const own = fields.filter((field) => field.access === access);
    const names = own.map(({ field }) => field || 'the whole result').join(', ');
    const acting = [...new Set(own.flatMap((field) => field.rules))].join(', ');
    const on = [...new Set(own.flatMap((field) => field.depends_on))].join(', ');
    const word = access === 'depends' ? `hidden or not, depending on ${on}` : access;
    return own.length === 0 ? [] : [`${names}: ${word} (${acting})`];
  });
  return [...denied, ...open, ...hidden];
}
