import { findProjectRoot } from '../../adapters/node/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import type { Settings } from '../../src/settings/model.ts';
import { toColumns } from '../columns.ts';
import type { Run } from '../command.ts';
import { addressOf, toAddress } from '../doctor/address.ts';
import { checkAuth } from '../doctor/auth.ts';
import type { Check } from '../doctor/check.ts';
import { count } from '../findings.ts';
import type { Input } from '../input.ts';
import { styled } from '../output.ts';
import { checkSite } from '../project.ts';
import { settingsOf } from '../settings.ts';

/** `svc doctor auth`: what keeps clients from signing in, and what to do about it. */
export const run: Run = async (input, output) => {
  const [what] = input.args;
  if (what !== undefined && what !== 'auth') {
    throw new SvcError('usage', `svc doctor ${what} is not known. Write svc doctor auth.`);
  }
  const url = input.text('url');
  const asked = url === undefined ? null : toAddress(url);
  const settings = await findSettings(input, asked === null);
  const address = asked ?? (settings === null ? null : addressOf(settings.transport.http));
  if (address === null) throw new SvcError('usage', 'Name a server with --url.');
  const checks = await checkAuth(settings, address);
  const failed = checks.some(({ status }) => status === 'problem');
  const shown = checks.map((check) => ({ ...check }));
  output.data({ status: failed ? 'error' : 'ok', url: address.mcp, checks: shown }, () => toText(checks));
  return failed ? 1 : 0;
};

/** A server elsewhere can be looked at without its project. */
async function findSettings(input: Input, needed: boolean): Promise<Settings | null> {
  if (!needed && (await findProjectRoot(process.cwd())) === null) return null;
  return settingsOf(input, await checkSite(input));
}

function toText(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ name, status, message, fix }) => {
    const style = status === 'ok' ? 'ok' : 'error';
    const line = [styled(style, status), name, message];
    return fix === null ? [line] : [line, ['', '', styled('dim', `fix: ${fix}`)]];
  });
  const { length } = checks.filter(({ status }) => status === 'problem');
  return `${toColumns(rows)}\n${length === 0 ? styled('ok', 'ok') : count(length, 'problem')}`;
}
