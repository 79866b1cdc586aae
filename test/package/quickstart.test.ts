import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDriver } from '../../adapters/duckdb-native/driver/driver.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { blocksOf } from '../unit/docs/pages.ts';
import { PACKAGE, Program } from './installed.ts';

/* The quickstart of the README, as it is written, with the packed package in an empty folder. */

const path = 'README.md';
const block = blocksOf({ path, text: readFileSync(path, 'utf8') }).find(({ text }) =>
  text.includes('npm install svc-kit'),
);
const lines = block?.text.trim().split('\n') ?? [];
/** The settings of npm and of the network on this machine, such as another registry. */
const network = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value = '']) =>
    /^(npm_config_|NODE_EXTRA_CA|(https?|no)_proxy)/i.test(name) ? [[name, value]] : [],
  ),
);
const env = {
  ...network,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  // Some registries have no audit, and npm waits for it.
  npm_config_audit: 'false',
};
const LIST = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'list_sales', arguments: { limit: 1 } },
};

/** Starts a server and calls the tool of its first table. */
async function firstAnswer(svc: string, project: string): Promise<string> {
  const server = new Program(process.execPath, [svc, 'serve', '--port', '0'], project);
  const [, url = ''] = await server.until(/serving .* on (\S+)/);
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(LIST),
  });
  return answer.text();
}

describe.skipIf(PACKAGE === undefined)('the quickstart', () => {
  it('has six lines, and the engine that the package was tested with', () => {
    expect(lines).toHaveLength(6);
    const { peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(lines[1]).toBe(`npm install svc-kit @duckdb/node-api@${peerDependencies['@duckdb/node-api']}`);
  });

  it('gives an answer over HTTP within 15 s after the installation', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const archive = readdirSync(PACKAGE ?? '').find((file) => file.endsWith('.tgz')) ?? '';
    const [make = '', install = '', ...rest] = lines;
    const prepare = `${make}\n${install.replace('svc-kit', join(PACKAGE ?? '', archive))}`;
    const prepared = new Program('/bin/sh', ['-ec', prepare], folder, env);
    expect({ code: await prepared.ended, output: prepared.output }).toMatchObject({ code: 0 });
    const begin = performance.now();
    const serve = rest.pop();
    const typed = new Program('/bin/sh', ['-ec', rest.join('\n')], join(folder, 'sales'), env);
    expect({ code: await typed.ended, output: typed.output }).toMatchObject({ code: 0 });
    expect(typed.output).toContain('[{"id":1,"amount":20},{"id":2,"amount":22}]');
    expect(serve).toBe('npx svc serve');
    // Without npx, so that the end of the test reaches the server.
    const svc = join(folder, 'sales/node_modules/.bin/svc');
    const answer = await firstAnswer(svc, join(folder, 'sales'));
    const seconds = (performance.now() - begin) / 1000;
    expect(answer).toContain('"amount":20');
    console.log(`quickstart: ${seconds.toFixed(1)} s from data to the first answer`);
    expect(seconds).toBeLessThan(15);
  });

  it('gives an answer over HTTP within 15 s from a Parquet file', { timeout: 300_000 }, async () => {
    const folder = temporaryFolder();
    const instance = await (await loadDriver()).openInstance(':memory:');
    const connection = await instance.connect();
    const file = join(folder, 'sales.parquet');
    await connection.run(
      `COPY (SELECT i AS id, i % 90 AS amount FROM range(100000) t(i)) TO '${file}' (FORMAT parquet)`,
    );
    connection.closeSync();
    instance.closeSync();
    symlinkSync(join(PACKAGE ?? '', 'whole/node_modules'), join(folder, 'node_modules'));
    const svc = join(folder, 'node_modules/.bin/svc');
    const begin = performance.now();
    const made = new Program(
      process.execPath,
      [svc, 'init', 'shop', '--from', 'sales.parquet', '--yes'],
      folder,
    );
    expect({ code: await made.ended, output: made.output }).toMatchObject({ code: 0 });
    const answer = await firstAnswer(svc, join(folder, 'shop'));
    const seconds = (performance.now() - begin) / 1000;
    expect(answer).toContain('"amount":0');
    console.log(`sales.parquet, 100,000 rows: ${seconds.toFixed(1)} s from the file to the first answer`);
    expect(seconds).toBeLessThan(15);
  });
});
