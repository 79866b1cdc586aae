import { mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';
import { buildTarget } from '../../deploy/build.ts';
import type { Command } from '../bench/load/server.ts';
import { benchFile } from '../bench/program.ts';
import { ADD, ASK, type Mixed, READ, WORK } from './calls.ts';

/** The servers that live long. */
export const KINDS = ['serve, read-write', 'serve, read-only', 'Node artefact'] as const;
export type Kind = (typeof KINDS)[number];

/** The limit of the engine of a read-write server, in megabytes. */
export const MEMORY_MB = 256;
const ROWS = 10_000;

/** A project that can be served. */
export interface Prepared {
  readonly kind: Kind;
  readonly root: string;
  readonly mix: readonly Mixed[];
  readonly command: Command;
  /** The admin socket; null if the server has none. */
  readonly socket: string | null;
  /** A file that the user file refers to: without it, a reload fails. */
  readonly secret: string;
  readonly audit: string;
  readonly database: string;
}

/** Whether Python runs, and the address of the collector of metrics. */
export interface Around {
  readonly python: boolean;
  readonly collector: string;
}

const ID = 'parameters: [{ name: id, type: integer }]';
const text = (name: string, sql: string): string =>
  `svc: 1\ntool:\n  name: ${name}\n  ${ID}\n  source: { code: "${sql}" }\n`;

const OWN_ROW = `SELECT 'customer ' || (($id // ${ROWS}) * ${ROWS} + id) || ' of generation ' || (SELECT max(generation) FROM versions) AS name FROM customers WHERE id = $id % ${ROWS}`;

const FILES: Readonly<Record<string, string>> = {
  'tools/read.yml': text('read', OWN_ROW),
  'tools/add.yml': text('add', "INSERT INTO added VALUES ($id) RETURNING 'customer ' || id AS name"),
  'tools/work.yml': `svc: 1\ntool:\n  name: work\n  ${ID}\n  return: { type: string }\n  source: { file: work.py }\n`,
  'tools/work.py':
    'from svc.runtime import db\n\ndef work(id: int) -> str:\n    return "customer " + str(db.execute("SELECT $id::INTEGER AS id", {"id": id})[0]["id"])\n',
};

const siteFile = (readonly: boolean): string => `svc: 1
project: soak
profile: default
secrets: [api]
sql_tools: { enabled: true }
profiles:
  default:
    database: { path: data/rows.db, readonly: ${readonly}${readonly ? '' : `, memory_limit: ${MEMORY_MB}MB`} }
    audit: { enabled: true, path: audit/log.jsonl }
`;

const userFile = (secret: string, collector: string): string => `svc: 1
projects:
  soak:
    profiles:
      default:
        secrets: [{ name: api, type: api, parameters: { key: "file://${secret}" } }]
        telemetry: { enabled: true, endpoint: "${collector}", tracing: { enabled: false }, metrics: { export_interval: 5 } }
`;

/** Writes a project of a kind to a folder of its own, and builds it if that is its kind. */
export async function prepare(kind: Kind, { python, collector }: Around): Promise<Prepared> {
  const root = mkdtempSync(join(tmpdir(), 'svc-soak-'));
  const paths = {
    socket: join(root, 'admin.sock'),
    secret: join(root, 'key'),
    database: join(root, 'data/rows.db'),
  };
  const writes = kind === 'serve, read-write';
  const files = writes ? ['read', 'add', ...(python ? ['work'] : [])] : ['read'];
  for (const folder of ['tools', 'data']) mkdirSync(join(root, folder));
  for (const [path, content] of Object.entries(FILES)) {
    if (files.some((name) => path.startsWith(`tools/${name}.`))) writeFileSync(join(root, path), content);
  }
  writeFileSync(join(root, 'svc-site.yml'), siteFile(!writes));
  writeFileSync(paths.secret, 'key');
  const config = join(root, 'user.yml');
  writeFileSync(config, userFile(paths.secret, collector));
  await writeGeneration(paths.database, 1);
  const mix = writes ? [READ, ADD, ASK, ...(python ? [WORK] : [])] : [READ, ASK];
  if (kind === 'Node artefact') {
    const out = join(root, 'build');
    await buildTarget({ root, public: true, target: 'node', config, out });
    const command = { program: process.execPath, args: ['index.js'], cwd: out };
    return { kind, root, mix, command, ...paths, socket: null, audit: join(out, 'audit') };
  }
  const env = { SVC_CONFIG: config, SVC_ADMIN_ENABLED: 'true', SVC_ADMIN_SOCKET: paths.socket };
  const args = [benchFile('../../cli/svc.js'), 'serve', '--port', '0', '--json'];
  const command = { program: process.execPath, args, cwd: root, env };
  return { kind, root, mix, command, ...paths, audit: join(root, 'audit') };
}

/** Puts a database of another generation in the place of the one that is there, in one step. */
export async function writeGeneration(path: string, generation: number): Promise<void> {
  const beside = join(dirname(path), `generation-${generation}.db`);
  await runScript(
    beside,
    `CREATE TABLE customers AS SELECT i::INTEGER AS id FROM range(${ROWS}) t(i);
     ALTER TABLE customers ADD PRIMARY KEY (id);
     CREATE TABLE versions AS SELECT ${generation} AS generation;
     CREATE TABLE added (id BIGINT PRIMARY KEY);
     CHECKPOINT;`,
  );
  renameSync(beside, path);
}
