import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { vi } from 'vitest';
import { callLegacy } from '../../../legacy-request.ts';
import { folder, Svc } from '../svc.ts';

/** A project with a Python tool and a SQL tool that run until a file is there. */
export interface Served {
  readonly root: string;
  readonly server: Svc;
  readonly url: string;
  /** Calls a tool; returns its structured content, or its error text. */
  readonly call: (name: string, args?: object) => Promise<unknown>;
  /** The part `reload` of `/status`. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>;
  readonly reload: () => Promise<Readonly<Record<string, unknown>>>;
}

/** Reads a secret, waits for `<name>.go` and reads the secret again. Creates `<name>.began` first. */
const PYTHON = `import os, pathlib, time
from svc.runtime import config, db

def held(name: str) -> list[str]:
    first = config.get_secret("api")["key"]
    pathlib.Path(name + ".began").touch()
    while not os.path.exists(name + ".go"):
        time.sleep(0.01)
    rows = db.execute("SELECT n FROM t")
    return [first, config.get_secret("api")["key"], str(rows[0]["n"])]
`;

/** Writes the project, with more settings of its database; returns its folder and the environment of a server. */
export function heldProject(database = '') {
  const root = folder();
  mkdirSync(join(root, 'tools'));
  writeFileSync(
    join(root, 'svc-site.yml'),
    `svc: 1\nproject: demo\nprofile: default\nsecrets: [api]\nprofiles: { default: { database: { path: data.db${database} } } }\n`,
  );
  writeFileSync(join(root, 'seed.sql'), 'CREATE TABLE t AS SELECT 1 AS n;');
  writeFileSync(
    join(root, 'tools/held.yml'),
    'svc: 1\ntool:\n  name: held\n  parameters: [{ name: name, type: string }]\n  return: { type: array, items: { type: string } }\n  source: { file: held.py }\n',
  );
  writeFileSync(join(root, 'tools/held.py'), PYTHON);
  writeFileSync(
    join(root, 'tools/add.yml'),
    'svc: 1\ntool:\n  name: add\n  source: { code: INSERT INTO t VALUES (2) }\n',
  );
  writeFileSync(
    join(root, 'tools/total.yml'),
    'svc: 1\ntool:\n  name: total\n  source: { code: SELECT sum(n)::INTEGER AS total FROM t }\n  return: { type: object, properties: { total: { type: integer } } }\n',
  );
  writeFileSync(
    join(root, 'tools/slow.yml'),
    'svc: 1\ntool:\n  name: slow\n  source: { code: "SELECT count(*)::INTEGER AS n FROM range(20000000) a, range(1000000) b WHERE hash(a.range + b.range) % 7 = 8" }\n  limits: { timeout: 60 }\n',
  );
  writeFileSync(join(root, 'key'), 'first');
  writeFileSync(
    join(root, 'config.yml'),
    `svc: 1\nprojects: { demo: { profiles: { default: { secrets: [{ name: api, type: api, parameters: { key: "file://${root}/key" } }] } } } }\n`,
  );
  return { root, env: { SVC_CONFIG: join(root, 'config.yml') } };
}

/** Starts a server over the project. */
export async function serveHeld({ database = '', flags = [] as readonly string[] } = {}): Promise<Served> {
  const { root, env: config } = heldProject(database);
  const socket = join(root, 'admin.sock');
  const env = { ...config, SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: socket };
  const server = new Svc(['serve', '--port', '0', '--json', ...flags], { cwd: root, env });
  const { url } = JSON.parse((await server.until(/^\{.*\}$/m))[0]);
  const status = async () => (await ask(socket, 'GET', '/status')).reload;
  return {
    root,
    server,
    url,
    call: (name, args = {}) => callTool(url, name, args),
    status,
    reload: async () => {
      await ask(socket, 'POST', '/reload');
      return vi.waitFor(async () => {
        const now = await status();
        if (now.in_progress) throw new Error('the reload has not ended');
        return now;
      }, 60_000);
    },
  };
}

async function callTool(url: string, name: string, args: object): Promise<unknown> {
  const response = await callLegacy(url, name, args);
  const text = await response.text();
  const { result, error } = JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?data: /, ''));
  if (error) return error.message;
  if (result.isError) return result.content[0].text;
  return result.structuredContent ?? JSON.parse(result.content[0].text);
}

function ask(socketPath: string, method: string, path: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ reload: Record<string, unknown> }>();
  const sent = request({ socketPath, method, path, headers: { host: 'localhost' } }, (response) => {
    let text = '';
    response.on('data', (chunk) => {
      text += chunk;
    });
    response.on('end', () => resolve(JSON.parse(text)));
  });
  sent.on('error', reject).end();
  return promise;
}
