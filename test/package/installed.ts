import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { blocksOf } from '../unit/docs/pages.ts';

/** The folder with the package as `npm run test:package` installed it; undefined where it did not. */
export const PACKAGE = process.env.SVC_TEST_PACKAGE;
const ROOT = PACKAGE ?? '';

/** The nodes that run svc, and each way to install it. */
export const NODES = {
  'Node 22.15': join(ROOT, 'node22/node_modules/node/bin/node'),
  'Node 24': process.execPath,
};
export const INSTALLED = {
  'in a project': join(ROOT, 'project/node_modules/.bin/svc'),
  globally: join(ROOT, 'global/bin/svc'),
};

const SITE = `svc: 1
project: shop
profile: default
profiles:
  default:
    database: { path: shop.duckdb, readonly: true }
`;

const TOOL = `svc: 1
tool:
  name: total
  description: The sum of all sales
  scopes: [sales:read]
  return: { type: object }
  source:
    code: SELECT sum(amount)::INTEGER AS total, get_username() AS caller FROM sales
  tests:
    - { name: sum, arguments: [], result: { total: 7, caller: null } }
`;

/** A folder that holds a read-only project `shop` and the installed package, and no other package. */
export async function workspace(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  symlinkSync(join(ROOT, 'project/node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'shop/tools'), { recursive: true });
  writeFileSync(join(folder, 'shop/svc-site.yml'), SITE);
  writeFileSync(join(folder, 'shop/tools/total.yml'), TOOL);
  const instance = await (await loadDriver()).openInstance(join(folder, 'shop/shop.duckdb'));
  const connection = await instance.connect();
  await connection.run('CREATE TABLE sales AS SELECT 7 AS amount');
  connection.closeSync();
  instance.closeSync();
  return folder;
}

/** Writes the programs of docs/how-to/embed.md, each under the name in its first line. */
export function writePrograms(folder: string): readonly string[] {
  const path = 'docs/how-to/embed.md';
  const programs = blocksOf({ path, text: readFileSync(path, 'utf8') }).flatMap(({ text }) => {
    const name = /^(?:\/\/|#) ([\w.]+)\n/.exec(text)?.[1];
    return name === undefined ? [] : [{ name, text }];
  });
  for (const { name, text } of programs) writeFileSync(join(folder, name), `${text}\n`);
  return programs.map(({ name }) => name);
}

/** A running program, ended with the test. */
export class Program {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  output = '';

  constructor(
    node: string,
    args: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ) {
    const { HOME = '', PATH = '' } = process.env;
    const path = [dirname(node), PATH].join(delimiter);
    this.child = spawn(node, args, { cwd, env: { HOME, PATH: path, SVC_CONFIG_YAML: '{ svc: 1 }', ...env } });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output += chunk;
      });
    this.ended = new Promise((done) => this.child.on('close', done));
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Waits for output. Fails with all of it if the program ends first. */
  until(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((done, fail) => {
      const look = () => {
        const found = pattern.exec(this.output);
        if (found !== null) done(found);
      };
      for (const stream of [this.child.stdout, this.child.stderr]) stream?.on('data', look);
      void this.ended.then(() => fail(new Error(`ended early:\n${this.output}`)));
      look();
    });
  }
}

/** Calls the tool of the project. */
export function callTotal(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'total', arguments: {} } };
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(call),
  });
}
