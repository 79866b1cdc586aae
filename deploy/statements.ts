import { compileEngine } from '../adapters/duckdb-wasm/engine/artefact.ts';
import { pathFile } from '../adapters/duckdb-wasm/engine/path-file.ts';
import { openWasm } from '../adapters/duckdb-wasm/in-process.ts';
import type { Catalog, ResourceEntry, ToolEntry } from '../src/catalog/model.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import type { Database } from '../src/ports.ts';

/** Opens the copied database with the engine of artefacts, under its name in the project. */
export async function withCopy<T>(
  file: string,
  name: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(file, name) });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Plans every statement. Throws project_invalid if one fails. */
export async function enforceStatements(
  database: Database,
  { tools, resources }: Catalog,
): Promise<readonly never[]> {
  const problems: string[] = [];
  for (const entry of [...Object.values(tools), ...Object.values(resources)]) {
    problems.push(...(await problemsOf(entry, database)));
  }
  if (problems.length > 0) throw refusal(problems);
  return [];
}

async function problemsOf(
  { name, source }: ToolEntry | ResourceEntry,
  database: Database,
): Promise<readonly string[]> {
  // of a built-in tool the statement comes with the call, of a Python function its statements do
  if (source.language !== 'sql' || source.statement !== undefined) return [];
  try {
    await database.prepare(source.sql, source.mode);
    return [];
  } catch (thrown) {
    return [`${name}: ${toSvcError(thrown).message}`];
  }
}

function refusal(problems: readonly string[]): SvcError {
  return new SvcError(
    'project_invalid',
    `The SQL of these endpoints does not run on the engine of the artefact, duckdb-wasm:\n${problems.join('\n')}\nCorrect it, or serve the project with \`svc serve\` and \`engine: native\`.`,
  );
}
