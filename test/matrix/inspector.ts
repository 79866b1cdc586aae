import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const VERSION = '2.12.0';
const FOLDER = resolve(`build/tools/inspector-${VERSION}`);
const PROGRAM = `${FOLDER}/node_modules/.bin/mcp-inspector`;
const INSTALL_MS = 120_000;

/** What a run of the Inspector's command line ended with. */
export interface Inspected {
  readonly code: number;
  readonly answer: { readonly [key: string]: unknown };
}

/** Runs the Inspector's command line; its answer is JSON. */
export type Inspect = (args: readonly string[]) => Promise<Inspected>;

/** The MCP Inspector, too big for a dependency (110 MB): installed once; null, and a loud word, without a registry. */
export async function findInspector(): Promise<Inspect | null> {
  if (!existsSync(PROGRAM) && !(await install())) {
    process.stderr.write('\n*** SKIPPED: the MCP Inspector could not be installed ***\n\n');
    return null;
  }
  return inspect;
}

async function install(): Promise<boolean> {
  await mkdir(FOLDER, { recursive: true });
  await writeFile(`${FOLDER}/package.json`, '{ "private": true }\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const npm = spawn('npm', [...args, `@modelcontextprotocol/inspector@${VERSION}`], {
    cwd: FOLDER,
    stdio: 'ignore',
    timeout: INSTALL_MS,
  });
  const [code] = await once(npm, 'exit').catch(() => [1]);
  return code === 0 && existsSync(PROGRAM);
}

const inspect: Inspect = async (args) => {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(process.execPath, [PROGRAM, '--cli', ...args, '--format', 'json'], {
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  return { code, answer: JSON.parse(out === '' ? '{}' : out) };
};
