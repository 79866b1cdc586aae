import { loadDriver } from '../../../adapters/duckdb-native/driver.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/artefact.ts';
import type { DatabaseChoice } from '../../../adapters/node/database-choice.ts';
import { findInterpreter } from '../../../adapters/python/interpreter.ts';
import type { Project } from '../../../src/project/model.ts';
import { type Check, failed, ok, problem } from '../check.ts';

const OLDEST = [22, 15] as const;

/** The Node that runs this, which is the one that would serve. */
export function checkNode(version: string = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return ok('node', `Node ${version}`);
  const fix = 'Install a newer one from https://nodejs.org.';
  return problem('node', `Node ${version} is older than ${OLDEST.join('.')}`, fix);
}

/** The interpreter, where the project has Python. */
export async function checkPython({ root, endpoints }: Project, env: NodeJS.ProcessEnv): Promise<Check> {
  const wanting = endpoints.filter(
    ({ endpoint }) => endpoint !== null && 'source' in endpoint && endpoint.source.language === 'python',
  );
  if (wanting.length === 0) return ok('python', 'no endpoint needs Python');
  try {
    const { executable, version } = await findInterpreter({ root, env });
    return ok('python', `Python ${version}, ${executable}`);
  } catch (thrown) {
    return failed('python', thrown, 'Install python3, or name an interpreter in SVC_PYTHON.');
  }
}

/** Both engines; one that is missing is a problem only where the project, or an artefact of it, needs it. */
export async function checkEngines(engine: DatabaseChoice['engine'] | null): Promise<readonly Check[]> {
  return [await checkWasm(), await checkNative(engine === 'native')];
}

async function checkWasm(): Promise<Check> {
  try {
    await compileEngine();
    return ok('engine-wasm', 'DuckDB-WASM is there and compiles');
  } catch (thrown) {
    return failed('engine-wasm', thrown, 'Install the package again.');
  }
}

async function checkNative(needed: boolean): Promise<Check> {
  try {
    const { api } = await loadDriver();
    return ok('engine-native', `native DuckDB ${api.version()}`);
  } catch (thrown) {
    const found = failed('engine-native', thrown, 'Install the package @duckdb/node-api.');
    return needed ? found : ok('engine-native', 'there is none, and this project needs none');
  }
}
