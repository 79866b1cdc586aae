import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Asked, OWN_TOOL } from '../load/exchange.ts';
import type { Command } from '../load/server.ts';
import { benchFile } from '../program.ts';
import { CALLED_ROWS } from '../projects.ts';
import type { Packages } from './install.ts';

/** The places that a peer is set up with. */
export interface Place {
  /** The folder of its packages. */
  readonly packages: string;
  /** An empty folder for its project. */
  readonly project: string;
  /** The DuckDB database that all servers read. */
  readonly data: string;
  readonly port: number;
}

/** Another server for the same lookup. */
export interface Peer {
  readonly name: string;
  readonly engine: 'DuckDB' | 'SQLite';
  /** The documented setup that is measured. */
  readonly setup: string;
  readonly packages: Packages;
  readonly asked: Asked;
  /** Recognises that it serves, in what it prints. */
  readonly ready: RegExp;
  command(place: Place): Promise<Omit<Command, 'cwd' | 'address'>>;
}

/** All peers speak this revision without a session in their stateless modes. */
const LEGACY_TOOL: Asked = { ...OWN_TOOL, version: '2025-06-18' };
const UVICORN = /Uvicorn running on/;

export const PEERS: readonly Peer[] = [
  {
    name: 'mxcp',
    engine: 'DuckDB',
    setup: '`mxcp serve --readonly --stateless`, with an endpoint in YAML',
    // Newer versions of dbt-core, which it depends on, download a part from GitHub while they are installed.
    packages: { from: 'PyPI', names: ['mxcp==0.12.3', 'dbt-core<1.12'] },
    asked: LEGACY_TOOL,
    ready: UVICORN,
    command: commandOfMxcp,
  },
  {
    name: 'fastmcp and duckdb',
    engine: 'DuckDB',
    setup: 'a tool in Python with a cursor for each call, stateless, answers as JSON',
    packages: { from: 'PyPI', names: ['fastmcp==4.1.2', 'duckdb==2.0.0'] },
    asked: LEGACY_TOOL,
    ready: UVICORN,
    command: async ({ packages, data, port }) => ({
      program: join(packages, 'bin/python'),
      args: [benchFile('peers/cursor-server.py'), data, String(port)],
    }),
  },
  {
    name: 'mcp-server-motherduck',
    engine: 'DuckDB',
    setup:
      'its tool `execute_query` on a read-only file, stateless: by default with a connection for each query',
    packages: { from: 'PyPI', names: ['mcp-server-motherduck==1.1.0'] },
    asked: {
      version: '2025-06-18',
      tool: 'execute_query',
      args: `{"sql":"SELECT id, 'Hello, ' || name AS text FROM customers WHERE id = $id"}`,
    },
    ready: UVICORN,
    command: async ({ packages, data, port }) => ({
      program: join(packages, 'bin/mcp-server-motherduck'),
      args: ['--transport', 'http', '--stateless-http', '--port', String(port), '--db-path', data],
    }),
  },
  {
    name: 'mcp-toolbox',
    engine: 'SQLite',
    setup: 'a `sqlite-sql` tool in YAML on the same rows in SQLite, which it reads without DuckDB',
    packages: { from: 'npm', names: ['@toolbox-sdk/server@1.12.0'] },
    asked: LEGACY_TOOL,
    ready: /Server ready to serve/,
    command: commandOfToolbox,
  },
];

async function commandOfMxcp({ packages, project, data, port }: Place): ReturnType<Peer['command']> {
  await mkdir(join(project, 'tools'));
  await copyFile(data, join(project, 'data.duckdb'));
  await writeFile(join(project, 'mxcp-site.yml'), MXCP_SITE);
  await writeFile(join(project, 'user.yml'), MXCP_USER);
  await writeFile(join(project, 'tools/tool_3.yml'), MXCP_TOOL);
  return {
    program: join(packages, 'bin/mxcp'),
    args: ['serve', '--readonly', '--stateless', '--port', String(port)],
    env: { MXCP_CONFIG: join(project, 'user.yml'), MXCP_DISABLE_ANALYTICS: '1' },
  };
}

const MXCP_SITE = `mxcp: 1
project: bench
profile: default
profiles: { default: { duckdb: { path: data.duckdb, readonly: true } } }
`;
const MXCP_USER = `mxcp: 1
transport: { provider: streamable-http, http: { host: 127.0.0.1, stateless: true } }
projects: { bench: { profiles: { default: {} } } }
`;
const MXCP_TOOL = `mxcp: 1
tool:
  name: tool_3
  description: The customer with an id
  parameters:
    - { name: id, type: integer, description: Which customer, minimum: 0 }
    - { name: greeting, type: string, description: How to greet, default: Hello, maxLength: 20 }
  return:
    type: object
    properties: { id: { type: integer }, text: { type: string } }
  source:
    code: SELECT id, $greeting || ', ' || name AS text FROM customers WHERE id = $id
`;

async function commandOfToolbox({ packages, project, port }: Place): ReturnType<Peer['command']> {
  const database = new DatabaseSync(join(project, 'data.sqlite'));
  database.exec(`CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
    WITH RECURSIVE t(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM t WHERE i < ${CALLED_ROWS - 1})
    INSERT INTO customers SELECT i, 'customer ' || i FROM t;`);
  database.close();
  await writeFile(join(project, 'tools.yaml'), TOOLBOX_TOOLS);
  return {
    // The program itself: its launcher in JavaScript would leave it behind when it ends.
    program: join(
      packages,
      `node_modules/@toolbox-sdk/server-${process.platform}-${process.arch}/bin/toolbox`,
    ),
    args: ['--config', 'tools.yaml', '--port', String(port), '--disable-version-check'],
  };
}

const TOOLBOX_TOOLS = `sources:
  bench: { kind: sqlite, database: data.sqlite }
tools:
  tool_3:
    kind: sqlite-sql
    source: bench
    description: The customer with an id
    parameters:
      - { name: id, type: integer, description: Which customer }
      - { name: greeting, type: string, description: How to greet, default: Hello }
    statement: SELECT id, ?2 || ', ' || name AS text FROM customers WHERE id = ?1
`;
