import type { MatrixRow } from '../../src/quality/matrix/matrix.ts';
import type { MatrixUser } from '../../src/quality/matrix/users.ts';
import type { EndpointAccess } from '../../src/quality/reachability/access.ts';
import { toKeyText, type WhoMay } from '../../src/quality/sign-in/who-may.ts';
import { toColumns } from '../io/columns.ts';
import { styled } from '../io/output.ts';

const STYLES = { allow: 'ok', deny: 'error', depends: 'warning' } as const;

/** Formats who may use the server, and who holds each scope. */
export function toWhoMayText({ allowed, api_keys, scopes }: WhoMay): string {
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
export function toMatrixText(rows: readonly MatrixRow[], users: readonly MatrixUser[]): string {
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
    ...(row.rows_depend_on_caller
      ? ['  rows depend on the caller: the SQL reads the identity of the caller']
      : []),
  ];
  if (lines.length + notes.length === 0) return [];
  return [
    `${styled('strong', row.endpoint)}  ${styled('dim', row.path)}`,
    ...notes,
    ...(lines.length > 0 ? [toColumns(lines)] : []),
  ];
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
