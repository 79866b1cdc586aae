import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHECKS } from '../../src/quality/gate/report.ts';
import { write } from '../engine/fixture.ts';
import { rawCall } from '../matrix/raw.ts';
import { Svc } from '../unit/cli/svc.ts';
import { type Home, LAKE, type Lake, POSTGRES, runs, startLake, type WrittenProject } from './lake.ts';
import { QUERIES, ROWS } from './queries.ts';

/* One project of 201 tools over five homes of its table: the same bytes, and every check passes on each. */

const SLOW = 300_000;

let lake: Lake;

beforeAll(async () => {
  lake = await startLake();
}, SLOW);
afterAll(() => lake?.stop());

/** A home of the table: a file or an attached database, and the statements that fill it. */
interface Filled {
  readonly file?: string;
  readonly attach?: (root: string) => Home;
  readonly extensions: readonly string[];
  /** Secrets of the project. */
  readonly secrets: readonly string[];
  readonly fill: readonly string[];
}

const TABLE = [`CREATE TABLE sales AS ${ROWS}`];
const PARQUET = [
  `COPY (${ROWS}) TO 's3://bucket/sales.parquet'`,
  "CREATE VIEW sales AS FROM read_parquet('s3://bucket/sales.parquet')",
];

const HOMES: Readonly<Record<string, Filled>> = {
  'a bundled file': { file: 'file.db', extensions: [], secrets: [], fill: TABLE },
  'Parquet on S3': { file: 'views.db', extensions: ['httpfs'], secrets: ['store'], fill: PARQUET },
  'a DuckLake on Postgres and S3': {
    attach: () => LAKE,
    extensions: ['ducklake', 'postgres', 'httpfs'],
    secrets: ['pg', 'store'],
    fill: TABLE,
  },
  Postgres: { attach: () => POSTGRES, extensions: ['postgres'], secrets: ['pg'], fill: TABLE },
  SQLite: {
    // An artefact does not contain the file, so the path is that of the machine.
    attach: (root) => ({ uri: `sqlite:${join(root, 'data.sqlite')}` }),
    extensions: ['sqlite'],
    secrets: [],
    fill: TABLE,
  },
};

function toTool(name: string, code: string, tests: readonly object[] = []): string {
  const least = { name: 'least', type: 'integer', description: 'The first sale', default: 0 };
  const columns = { type: 'array', description: 'Rows' };
  const tool = {
    name,
    description: 'Rows of the sales',
    tags: ['sales'],
    annotations: { title: 'Sales', readOnlyHint: true },
    parameters: [least],
    return: columns,
    source: { code },
    tests,
  };
  return JSON.stringify({ svc: 1, tool });
}

const REVENUE = `SELECT coalesce(region, 'none') AS region, sum(amount::DECIMAL(10,2)) AS revenue
FROM sales WHERE id >= $least GROUP BY ALL ORDER BY region`;
const NORTH = {
  name: 'the last ten',
  arguments: [{ key: 'least', value: 490 }],
  result_contains_item: { region: 'north', revenue: 1856.25 },
};

/** Fills a home, and writes the project over it. */
async function createProject({ file, attach, extensions, secrets, fill }: Filled): Promise<WrittenProject> {
  const home = attach?.(lake.root) ?? null;
  const path = join(lake.root, file ?? '');
  const writer = await (home === null ? lake.openFile(path) : lake.open({ ...home, readonly: false }));
  for (const statement of fill) await write(writer, statement);
  await writer.close();
  const queries = QUERIES.map((sql, index) => [`q${index}`, toTool(`q${index}`, sql)]);
  return lake.project(home, {
    tools: { revenue: toTool('revenue', REVENUE, [NORTH]), ...Object.fromEntries(queries) },
    site: { extensions },
    profile: home === null ? { database: { path, readonly: true } } : {},
    secrets: lake.secrets().filter(({ name }) => secrets.includes(name)),
  });
}

/** The bytes of each tool's answer, by a running server. */
async function answersOf(project: WrittenProject): Promise<readonly string[]> {
  const server = new Svc(['serve', '--port', '0', '--stateless'], project);
  const [origin] = await server.until(/http:\/\/127\.0\.0\.1:\d+/);
  const url = new URL('/mcp', origin);
  const answers: string[] = [];
  for (const index of QUERIES.keys()) {
    answers.push(await rawCall({ kind: 'http', url }, `q${index}`, { least: (index * 37) % 480 }));
  }
  server.child.kill('SIGTERM');
  await server.ended;
  return answers;
}

/** Builds an artefact, which passes each check of the gate. */
async function checkGate(project: WrittenProject, engine: 'native' | 'wasm'): Promise<void> {
  const args = ['build', '--target', 'node', '--engine', engine, '--public', '--json'];
  const { checks } = JSON.parse((await runs(project, ...args)).stdout);
  expect(checks).toEqual(CHECKS.map((check) => ({ check, status: 'passed', problems: [] })));
}

describe('one project over five homes of its table', () => {
  const answers = new Map<string, readonly string[]>();

  it.each(Object.entries(HOMES))(
    'passes every check and the gate of svc build: %s',
    async (name, home) => {
      const project = await createProject(home);
      await runs(project, 'lock');
      await runs(project, 'drift-snapshot');
      const tested = await runs(project, 'test', '--json');
      expect(JSON.parse(tested.stdout)).toMatchObject({ status: 'ok', tests_run: 1 });
      // The gate makes the other checks, as each command does by itself.
      await checkGate(project, home.extensions.length > 0 ? 'native' : 'wasm');
      answers.set(name, await answersOf(project));
    },
    SLOW,
  );

  it('gives the same bytes for 200 queries', () => {
    expect([...answers.keys()]).toEqual(Object.keys(HOMES));
    const [expected = [], ...others] = answers.values();
    expect(expected).toHaveLength(200);
    expect(expected.filter((answer) => !answer.includes('"structuredContent"'))).toEqual([]);
    expect(new Set(expected).size).toBeGreaterThan(150);
    for (const other of others) expect(other).toEqual(expected);
  });
});
