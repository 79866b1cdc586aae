import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript } from '../../adapters/duckdb-native/files/script.ts';

/** The rows of the table of which each measured call reads one by its primary key. */
export const CALLED_ROWS = 100_000;

/** The number of rows that are asked for again and again where results are kept. */
export const FEW_IDS = 50;

/** What stands around a call. */
export interface Around {
  /** Rules on its arguments and on its result, and a record of it. */
  readonly guarded?: boolean;
  /** The rows of the table that its tools read by primary key. */
  readonly rows?: number;
}

/** A project of `count` one-row tools, `tool_0` and up, with its database. */
export async function createProject(
  count: number,
  { guarded = false, rows = 1_000 }: Around = {},
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  await mkdir(join(root, 'tools'));
  await mkdir(join(root, 'data'));
  await writeFile(join(root, 'svc-site.yml'), `${SITE}${guarded ? AUDITED : ''}`);
  const files = Array.from({ length: count }, (_, index) =>
    writeFile(join(root, `tools/tool_${index}.yml`), `${toTool(index)}${guarded ? POLICIES : ''}`),
  );
  await Promise.all(files);
  await runScript(
    join(root, 'data/db-default.db'),
    `CREATE TABLE customers (id INTEGER PRIMARY KEY, name VARCHAR);
     INSERT INTO customers SELECT i, 'customer ' || i FROM range(${rows}) t(i);`,
  );
  return root;
}

const SITE = 'svc: 1\nproject: bench\nprofile: default\n';
const AUDITED = 'profiles: { default: { audit: { enabled: true } } }\n';
const POLICIES = `  policies:
    input:
      - { condition: "id > 99999 && user.role != 'admin'", action: deny, reason: Out of reach. }
    output:
      - { condition: "user.role == 'guest' && response.id > 500", action: mask_fields, fields: [text] }
`;

function toTool(index: number): string {
  return `svc: 1
tool:
  name: tool_${index}
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
}

/** The statement that each of those tools runs. */
export const STATEMENT = "SELECT id, $1 || ', ' || name AS text FROM customers WHERE id = $2";
