import { loadTelemetry } from '../../../adapters/artefact/telemetry.ts';
import { loadDriver } from '../../../adapters/duckdb-native/driver/driver.ts';
import { compileEngine } from '../../../adapters/duckdb-wasm/engine/artefact.ts';
import type { DatabaseChoice } from '../../../adapters/node/database/database-choice.ts';
import { isNewEnough, OLDEST_NODE } from '../../../adapters/node/oldest-node.ts';
import { NATIVE_PART, TELEMETRY_PART, toInstallAdvice } from '../../../adapters/optional-packages.ts';
import { chosenInterpreter, findInterpreter, PYODIDE } from '../../../adapters/python/interpreter.ts';
import { pyodideFolder } from '../../../adapters/python-pyodide/files.ts';
import { PYODIDE_VERSION } from '../../../adapters/python-pyodide/pyodide.ts';
import type { Project } from '../../../src/project/model.ts';
import type { Settings } from '../../../src/settings/model.ts';
import { type Check, failed, ok, problem } from '../check.ts';

/** Checks the version of this Node, which would also run the server. */
export function checkNode(version: string = process.versions.node): Check {
  if (isNewEnough(version)) return ok('node', `Node ${version}`);
  const fix = 'Install a newer Node from https://nodejs.org.';
  return problem('node', `Node ${version} is older than ${OLDEST_NODE}`, fix);
}

/** Checks the Python interpreter, if the project needs one. */
export async function diagnosePython(project: Project, env: NodeJS.ProcessEnv): Promise<Check> {
  const wanting = project.endpoints.filter(
    ({ endpoint }) => endpoint !== null && 'source' in endpoint && endpoint.source.language === 'python',
  );
  if (wanting.length === 0) return ok('python', 'no endpoint needs Python');
  const interpreter = project.site?.python.interpreter ?? null;
  const wanted = chosenInterpreter({ env, interpreter });
  if (wanted === PYODIDE) return checkPyodide(`as ${askedBy(env)} says`);
  try {
    const { executable, version } = await findInterpreter({ root: project.root, env, interpreter });
    return ok(
      'python',
      `Python ${version}, ${executable}${wanted === null ? '' : `, as ${askedBy(env)} says`}`,
    );
  } catch (thrown) {
    if (wanted === null && pyodideFolder() !== null) return checkPyodide('there is no python3');
    return failed('python', thrown, FIX_PYTHON);
  }
}

const FIX_PYTHON = 'Install python3, or set SVC_PYTHON or `python.interpreter` to an interpreter.';

function askedBy(env: NodeJS.ProcessEnv): string {
  return env.SVC_PYTHON?.trim() ? 'SVC_PYTHON' : '`python.interpreter`';
}

function checkPyodide(why: string): Check {
  if (pyodideFolder() !== null) return ok('python', `Pyodide ${PYODIDE_VERSION}, ${why}`);
  return problem('python', `${why}, and the package pyodide is not installed`, FIX_PYTHON);
}

/** Checks both engines. A missing engine is a problem only if the project or an artefact needs it. */
export async function checkEngines(engine: DatabaseChoice['engine'] | null): Promise<readonly Check[]> {
  return [await checkWasm(), await checkNative(engine === 'native')];
}

async function checkWasm(): Promise<Check> {
  try {
    await compileEngine();
    return ok('engine-wasm', 'DuckDB-WASM is installed and compiles');
  } catch (thrown) {
    return failed('engine-wasm', thrown, 'Install the package again.');
  }
}

async function checkNative(needed: boolean): Promise<Check> {
  try {
    const { api } = await loadDriver();
    return ok('engine-native', `native DuckDB ${api.version()}`);
  } catch (thrown) {
    const found = failed('engine-native', thrown, `${toInstallAdvice(NATIVE_PART.packages)}.`);
    return needed ? found : ok('engine-native', 'it is not installed, and this project does not need it');
  }
}

/** Checks the packages that send traces and metrics, if telemetry is on. */
export async function diagnoseTelemetry({ telemetry }: Pick<Settings, 'telemetry'>): Promise<Check> {
  if (!telemetry.enabled) return ok('telemetry', 'traces and metrics are off');
  try {
    await loadTelemetry();
    return ok('telemetry', 'traces and metrics are on, and their packages are installed');
  } catch (thrown) {
    return failed('telemetry', thrown, `${toInstallAdvice(TELEMETRY_PART.packages)}.`);
  }
}
