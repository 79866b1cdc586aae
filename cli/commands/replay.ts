import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { readLines } from '../../adapters/audit/read-lines.ts';
import { openArtefact } from '../../adapters/replay/artefact.ts';
import { openServer } from '../../adapters/replay/server.ts';
import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { type JsonValue, toTextOrJson } from '../../src/json.ts';
import type { ReplayDifference } from '../../src/quality/replay/compare.ts';
import { SKIP_REASONS } from '../../src/quality/replay/record.ts';
import {
  type Player,
  type RecordFields,
  type Replayed,
  type ReplayReport,
  replay,
} from '../../src/quality/replay/run.ts';
import { type CommandInput, numberOf, type Run } from '../command.ts';
import { count, styled, toColumns } from '../io/output.ts';
import { parseUser } from '../project/options.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';

const TOKEN = 'SVC_REPLAY_TOKEN';
const MOST_RECORDS = 10_000_000;
const NAMED_BY = '`profiles.<name>.audit.path` of svc-site.yml names the file.';

/** `svc replay <file> --against <artefact|url>`: repeats recorded reads and reports different results. */
export const run: Run = async (input, output) => {
  const file = fileOf(input);
  const limit = numberOf(input, 'limit', MOST_RECORDS, MOST_RECORDS);
  const user = await parseUser(input.text('userContext'));
  const player = await openPlayer(input, user);
  try {
    const report = await output.progress('replaying', (say) =>
      replay(recordsOf(file, limit), player, (name) => say(name)),
    );
    if ((report.skipped.foreign ?? 0) === report.records) throw notRecords(file);
    if (report.replayed === 0) throw nothingReplayed(file, report);
    const against = input.text('against') ?? '';
    output.data({ ...report, against }, () => toReplayText(report));
    return report.status === 'ok' ? 0 : 1;
  } finally {
    await player.close();
  }
};

function fileOf(input: CommandInput): string {
  const [asked = ''] = input.args;
  const file = resolve(asked);
  const shown = relative(process.cwd(), file) || asked;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new SvcError('usage', `There is no audit file ${shown}. ${NAMED_BY}`);
  if (found.isDirectory())
    throw new SvcError('usage', `${shown} is a folder. Name an audit file. ${NAMED_BY}`);
  return file;
}

/** A replay of the wrong file repeats nothing. It must not pass as a success. */
function notRecords(file: string): SvcError {
  return new SvcError('usage', `${relative(process.cwd(), file)} has no audit records. ${NAMED_BY}`);
}

/** Nothing was compared. It must not pass as a success either. */
function nothingReplayed(file: string, { records, skipped }: ReplayReport): SvcError {
  const reasons = toSkippedLines(skipped).map((line) => `\n${line}`);
  return new SvcError(
    'usage',
    `None of the ${count(records, 'record')} of ${relative(process.cwd(), file)} can be replayed, so nothing was compared.${reasons.join('')}`,
  );
}

/** Takes the token from a variable: audit files hold none, and other users can see command lines. */
async function openPlayer(input: CommandInput, user: User | null): Promise<Player> {
  const against = input.text('against');
  if (against === undefined) {
    throw new SvcError(
      'usage',
      'svc replay needs --against: a folder that `svc build` wrote, or the URL of a server.',
    );
  }
  const variable = input.text('tokenEnv') ?? TOKEN;
  const token = process.env[variable] || null;
  if (!/^https?:\/\//i.test(against)) {
    await ensureWasmArtefact();
    return openArtefact(resolve(against), user);
  }
  if (user !== null) {
    throw new SvcError(
      'usage',
      `--user-context works with artefacts only. A server identifies the user by the token in ${variable}.`,
    );
  }
  if (input.text('tokenEnv') !== undefined && token === null) {
    throw new SvcError('usage', `--token-env ${variable}: the variable is not set or is empty.`);
  }
  return openServer(urlOf(against), token);
}

/** Adds `/mcp` to an address without a path. */
function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new SvcError('usage', `--against ${text} is not a URL.`);
  const url = new URL(text);
  return url.pathname === '/' ? new URL('/mcp', url) : url;
}

async function* recordsOf(file: string, limit: number): AsyncGenerator<RecordFields> {
  let many = 0;
  for await (const lines of readLines(file)) {
    for (const { record } of lines) {
      if (many >= limit) return;
      many += 1;
      yield record === null ? null : record.fields;
    }
  }
}

const MOST_SHOWN = 20;
const WIDEST = 160;

/** Formats a replay for people: the differences, the sum, the skipped records, and the time. */
function toReplayText({ differences, ...report }: ReplayReport): string {
  const more = differences.length - MOST_SHOWN;
  const { replayed, same, different, records, time } = report;
  const sum = [
    styled('ok', `${same} the same`),
    ...(different > 0 ? [styled('error', `${different} different`)] : []),
  ];
  return [
    ...(differences.length > 0 ? [toColumns(differences.slice(0, MOST_SHOWN).flatMap(toRows))] : []),
    ...(more > 0 ? [`and ${more} more; --json has all`] : []),
    `${count(replayed, 'call')} replayed of ${count(records, 'record')}: ${sum.join(', ')}`,
    ...toSkippedLines(report.skipped).map((line) => styled('dim', line)),
    `time: ${time.old} ms as recorded, ${time.new} ms now; ${count(time.slower, 'call')} took more than twice as long`,
  ].join('\n');
}

function toRows({ operation_type, operation_name, record_id, differences, time }: Replayed) {
  const head = styled('strong', `${operation_type} ${operation_name}`);
  const rows = differences.map((one) => ['', styled('error', one.what), toChangeText(one)]);
  return [[head, '', styled('dim', `${record_id}, ${time.old} -> ${time.new} ms`)], ...rows];
}

function toChangeText({ path, old, new: now }: ReplayDifference): string {
  return `${path ? `${path}: ` : ''}${toShort(old)} -> ${toShort(now)}`;
}

function toShort(value: JsonValue): string {
  const line = toTextOrJson(value).replaceAll(/\s+/g, ' ');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
}

function toSkippedLines(skipped: ReplayReport['skipped']): readonly string[] {
  return Object.entries(SKIP_REASONS).flatMap(([reason, text]) => {
    const many = Object.entries(skipped).find(([name]) => name === reason)?.[1] ?? 0;
    return many === 0 ? [] : [`${many} skipped: ${text}`];
  });
}
