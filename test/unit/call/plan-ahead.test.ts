import { expect, it } from 'vitest';
import { planAhead } from '../../../src/call/plan-ahead.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import type { Catalog } from '../../../src/catalog/model.ts';
import { SvcError } from '../../../src/errors.ts';
import type { Database } from '../../../src/ports.ts';
import { loadTree, SITE } from './project.ts';

const tool = (name: string, code: string) =>
  `svc: 1\ntool:\n  name: ${name}\n  description: d\n  source: { code: "${code}" }\n`;

const READS = ['b', 'c', 'd', 'e'];

async function catalogOf(reads: readonly string[]): Promise<Catalog> {
  const files = reads.map((name, index) => [`tools/${name}.yml`, tool(name, `SELECT ${index + 2}`)]);
  return compileCatalog(
    await loadTree({
      'svc-site.yml': `${SITE}sql_tools: { enabled: true }\n`,
      'tools/a.yml': tool('a', 'DELETE FROM t'),
      ...Object.fromEntries(files),
    }),
  );
}

/** Plans ahead on a database that only notes what it is asked; the statement `broken` fails. */
async function planOn({ reads = READS, unchanging = true, broken = '' } = {}): Promise<readonly string[]> {
  const planned: string[] = [];
  const database: Database = {
    engine: 'duckdb-wasm',
    readonly: true,
    unchanging,
    run: () => Promise.reject(new Error('Nothing is to run.')),
    prepare: async (sql, mode) => {
      planned.push(`${mode} ${sql}`);
      if (sql === broken) throw new SvcError('sql_failed', 'no such table');
      return [];
    },
    close: async () => {},
  };
  await planAhead({ catalog: await catalogOf(reads), database: async () => database });
  return planned;
}

// Requirements: cold.plan
it('plans the first three reads of the project, and runs none', async () => {
  expect(await planOn()).toEqual(['read SELECT 2', 'read SELECT 3', 'read SELECT 4']);
});

it('plans no SQL that clients write, and no write', async () => {
  const { tools } = await catalogOf(['b']);
  expect(Object.keys(tools)).toContain('execute_sql_query');
  const [first, ...tablesOfSqlTools] = await planOn({ reads: ['b'] });
  expect(first).toBe('read SELECT 2');
  expect(tablesOfSqlTools).toEqual(Array(2).fill(expect.stringContaining('information_schema')));
});

it('plans nothing where data may change, because planning would wait for its store', async () => {
  expect(await planOn({ unchanging: false })).toEqual([]);
});

it('leaves errors to the calls', async () => {
  expect(await planOn({ broken: 'SELECT 3' })).toEqual(['read SELECT 2', 'read SELECT 3']);
  const database = () => Promise.reject(new SvcError('database_unavailable', 'no file'));
  await expect(planAhead({ catalog: await catalogOf(READS), database })).resolves.toBeUndefined();
});
