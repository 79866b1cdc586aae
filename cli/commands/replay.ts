import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { readLines } from '../../adapters/audit/read-lines.ts';
import { openArtefact } from '../../adapters/replay/artefact.ts';
import { openServer } from '../../adapters/replay/server.ts';
import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { type Player, type RecordFields, replay } from '../../src/quality/replay/run.ts';
import type { Run } from '../command.ts';
import type { CommandInput } from '../io/command-input.ts';
import { numberOf } from '../log/audit-log.ts';
import { parseUser } from '../project/user-context.ts';
import { ensureWasmArtefact } from '../project/wasm-artefact.ts';
import { toReplayText } from '../replay/replay-text.ts';

const TOKEN = 'SVC_REPLAY_TOKEN';
const MOST = 10_000_000;

/** `svc replay <file> --against <artefact|url>`: repeats recorded reads and reports different results. */
export const run: Run = async (input, output) => {
  const file = fileOf(input);
  const limit = numberOf(input, 'limit', MOST, MOST);
  const user = await parseUser(input.text('userContext'));
  const player = await openPlayer(input, user);
  try {
    const report = await output.progress('replaying', (say) =>
      replay(recordsOf(file, limit), player, (name) => say(name)),
    );
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
  if (existsSync(file)) return file;
  throw new SvcError(
    'usage',
    `There is no audit file ${relative(process.cwd(), file) || asked}. \`profiles.<name>.audit.path\` of svc-site.yml names it.`,
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
