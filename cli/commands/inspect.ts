import { delimiter, dirname } from 'node:path';
import { SvcError } from '../../src/errors.ts';
import { toShellWord } from '../../src/pages/connect.ts';
import type { CommandInput, Run } from '../command.ts';
import { stdioLaunch } from '../connect/clients.ts';
import { toAddress } from '../doctor/address.ts';
import { findProgram, runChild } from '../io/programs.ts';
import { checkSite, profileOf, siteOf } from '../project/project.ts';

/** The release that the tests run. */
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

/** `svc inspect`: opens the MCP project's Inspector on this project or on a running server. */
export const run: Run = async (input, output) => {
  const args = ['-y', INSPECTOR, '--web', '--protocol-era', 'auto', ...(await targetOf(input))];
  if (input.flag('print') || output.json) {
    output.data({ status: 'ok', command: 'npx', args }, () => ['npx', ...args.map(toShellWord)].join(' '));
    return 0;
  }
  const npx = await findProgram('npx', [dirname(process.execPath)]);
  if (npx === null) throw missing();
  output.note(`npx fetches ${INSPECTOR} the first time (110 MB) and opens it in a browser. Ctrl-C stops it.`);
  // npx and what it starts take the first node of PATH, which may be too old for the Inspector
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return runChild({ program: npx, args, env: { ...process.env, PATH } });
};

/** Arguments that name the server. Without an address, the Inspector starts the project's own server. */
async function targetOf(input: CommandInput): Promise<readonly string[]> {
  const url = input.text('url');
  if (url !== undefined) return ['--transport', 'http', '--server-url', toAddress(url).mcpWithQuery];
  const checked = await checkSite(input);
  siteOf(checked);
  const { command, args, env } = stdioLaunch(checked.project.root, profileOf(input));
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  return [...variables, '--transport', 'stdio', '--', command, ...args];
}

function missing(): SvcError {
  return new SvcError(
    'not_found',
    'The Inspector needs npx, which is not in PATH. Install npm, or run the output of `svc inspect --print` on a machine with npm.',
  );
}
