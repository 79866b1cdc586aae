import { compileEngine } from '../adapters/duckdb-wasm/artefact.ts';
import { openWasm } from '../adapters/duckdb-wasm/in-process.ts';
import { pathFile } from '../adapters/duckdb-wasm/path-file.ts';
import type { Catalog, ToolEntry } from '../src/catalog/model.ts';
import { SvcError, toSvcError } from '../src/errors.ts';
import type { Database } from '../src/ports.ts';

/** Plans every statement on the copied database with the engine that will serve it; throws project_invalid. */
export async function probe(file: string, { tools }: Catalog): Promise<void> {
  const database = await openWasm({ ...(await compileEngine()), file: pathFile(file) });
  try {
    const problems: string[] = [];
    for (const tool of Object.values(tools)) problems.push(...(await problemsOf(tool, database)));
    if (problems.length > 0) throw refusal(problems);
  } finally {
    await database.close();
  }
}

async function problemsOf({ name, source }: ToolEntry, database: Database): Promise<readonly string[]> {
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
    `The SQL of these tools does not run on the engine of the artefact, duckdb-wasm:\n${problems.join('\n')}\nCorrect it, or serve the project with \`svc serve\` and \`engine: native\`.`,
  );
}
