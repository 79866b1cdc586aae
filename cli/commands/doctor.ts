import { findProjectRoot } from '../../adapters/node/project/project-files.ts';
import { SvcError } from '../../src/errors.ts';
import type { EndpointFile } from '../../src/project/model.ts';
import type { Settings } from '../../src/settings/model.ts';
import type { CommandInput, Run } from '../command.ts';
import { configuredAddress, toAddress } from '../doctor/address.ts';
import type { Check } from '../doctor/check.ts';
import { checkInside } from '../doctor/local.ts';
import { checkOutside } from '../doctor/remote.ts';
import { checkAuth, checkWhoMay } from '../doctor/sign-in.ts';
import { toColumns } from '../io/columns.ts';
import { count, styled } from '../io/output.ts';
import { checkProject } from '../project/project.ts';
import { settingsOf } from '../project/settings.ts';

/** `svc doctor`: finds problems of this machine, of a server's address, or of signing in. */
export const run: Run = async (input, output) => {
  const { url, checks } = await look(input);
  const failed = checks.some(({ status }) => status === 'problem');
  const shown = checks.map((check) => ({ ...check }));
  const where = url === null ? {} : { url };
  output.data({ status: failed ? 'error' : 'ok', ...where, checks: shown }, () => toText(checks));
  return failed ? 1 : 0;
};

interface Looked {
  readonly url: string | null;
  readonly checks: readonly Check[];
}

async function look(input: CommandInput): Promise<Looked> {
  const [what] = input.args;
  if (what === 'auth') return lookAtAuth(input);
  const url = what ?? input.text('url');
  if (url === undefined) return { url: null, checks: await checkInside(input) };
  if (!URL.canParse(url) && what !== undefined) {
    throw new SvcError(
      'usage',
      `svc doctor ${what} is not known. Write svc doctor, svc doctor auth, or svc doctor <url>.`,
    );
  }
  const address = toAddress(url);
  return { url: address.mcp, checks: await checkOutside(address) };
}

async function lookAtAuth(input: CommandInput): Promise<Looked> {
  const url = input.text('url');
  const asked = url === undefined ? null : toAddress(url);
  const found = await findSettings(input, asked === null);
  const settings = found?.settings ?? null;
  const address = asked ?? (settings === null ? null : configuredAddress(settings.transport.http));
  if (address === null) throw new SvcError('usage', 'Name a server with --url.');
  const checks = await checkAuth(settings, address, asked === null);
  return { url: address.mcp, checks: [...checks, ...(found === null ? [] : checkWhoMay(found))] };
}

interface FoundProject {
  readonly settings: Settings;
  readonly endpoints: readonly EndpointFile[];
}

/** The settings and endpoints of the project around; null outside a project if the address of another server was given. */
async function findSettings(input: CommandInput, needed: boolean): Promise<FoundProject | null> {
  if (!needed && (await findProjectRoot(process.cwd())) === null) return null;
  const checked = await checkProject(input);
  return { settings: await settingsOf(input, checked), endpoints: checked.project.endpoints };
}

function toText(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ name, status, message, fix }) => {
    const style = status === 'problem' ? 'error' : status;
    const line = [styled(style, status), name, message];
    return fix === null ? [line] : [line, ['', '', styled('dim', `fix: ${fix}`)]];
  });
  const { length } = checks.filter(({ status }) => status === 'problem');
  return `${toColumns(rows)}\n${length === 0 ? styled('ok', 'ok') : count(length, 'problem')}`;
}
