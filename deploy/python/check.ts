import type { Finding } from '../../src/project/finding.ts';
import type { TargetName } from '../target.ts';
import { type PythonSources, type ReachedFile, reachedFrom } from './graph.ts';
import { type PythonImport, usesOf } from './imports.ts';
import { NATIVE_PACKAGES } from './native-packages.ts';
import { MISSING_MODULES, STANDARD_MODULES } from './standard-library.ts';

/** The Python of a project: the files of its endpoints, and everything in its folder of modules. */
export interface PythonProject {
  /** Files of endpoints. */
  readonly endpoints: readonly string[];
  /** `paths.python` of the site file. */
  readonly folder: string;
  readonly sources: PythonSources;
  /** Every other file in the folder. */
  readonly others: readonly string[];
}

/** What of a project's Python a platform without python3 cannot run; on Node python3 comes first, so there it only warns. */
export function checkPythonTarget(project: PythonProject, target: TargetName): readonly Finding[] {
  const reached = reachedFrom(project.endpoints, project.sources, project.folder);
  const found = [
    ...reached.flatMap((file) => checkImports(file, project, target)),
    ...reached.flatMap((file) => checkUses(file, target)),
    ...checkNativeFiles(project, target),
  ];
  return target === 'node' ? found.map((finding) => ({ ...finding, severity: 'warning' })) : found;
}

function checkImports(file: ReachedFile, project: PythonProject, target: TargetName): readonly Finding[] {
  return file.outside.flatMap((one) => {
    const name = one.module.split('.')[0] ?? '';
    if (name === '' || name === 'svc' || STANDARD_MODULES.has(name) || name.startsWith('_')) return [];
    const severity = one.guarded ? 'warning' : 'error';
    return [{ severity, ...placeOf(file.path, one), ...problemOf(name, project, target) }];
  });
}

type Problem = Pick<Finding, 'code' | 'message' | 'fix'>;

function problemOf(name: string, { folder }: PythonProject, target: TargetName): Problem {
  const code = 'target-unsupported';
  if (MISSING_MODULES.has(name)) {
    return {
      code,
      message: `${placeName(target)} has no module ${name}.`,
      fix: `Do without it, ${ELSEWHERE}`,
    };
  }
  if (NATIVE_PACKAGES.has(name)) {
    return {
      code,
      message: `${name} has native code, which ${placeName(target)} cannot load.`,
      fix: `${replacementOf(name)}, ${ELSEWHERE}`,
    };
  }
  return {
    code,
    message: `${name} is not in Python's standard library, and ${placeName(target)} installs no packages.`,
    fix: `If it is pure Python, copy it into the project with \`pip install --target ${folder} ${name}\`; otherwise do without it, ${ELSEWHERE}`,
  };
}

const ELSEWHERE = 'or deploy where there is a python3: `svc serve`, or `svc build --target node`.';

function replacementOf(name: string): string {
  return ['pandas', 'polars', 'numpy', 'duckdb', 'pyarrow'].includes(name)
    ? 'Let SQL compute it and pass rows through `db.execute`, use `statistics` and `decimal`'
    : 'Use the standard library instead';
}

/** The interpreter of a target where there is no python3. */
function placeName(target: TargetName): string {
  return target === 'node'
    ? 'Python in WebAssembly, which serves where there is no python3,'
    : `Python on ${target}`;
}

const USES: readonly (readonly [string, RegExp])[] = [
  ['starts threads', /\b(?:threading\.Thread|threading\.Timer|ThreadPoolExecutor|ThreadPool)\s*\(/g],
  [
    'starts processes',
    /\b(?:subprocess\.(?:run|Popen|call|check_call|check_output)|os\.(?:system|popen|fork|exec\w+|spawn\w+)|ProcessPoolExecutor|multiprocessing\.(?:Process|Pool)|asyncio\.create_subprocess_\w+)\s*\(/g,
  ],
  [
    'goes to the network',
    /\b(?:urlopen|urllib\.request\.\w+|http\.client\.HTTPS?Connection|socket\.(?:socket|create_connection)|asyncio\.(?:open_connection|start_server)|(?:smtplib|ftplib|imaplib|poplib)\.[A-Z]\w+)\s*\(/g,
  ],
];

function checkUses({ path, text }: ReachedFile, target: TargetName): readonly Finding[] {
  return usesOf(text, USES).map((use) => ({
    severity: 'warning',
    code: 'target-unsupported',
    ...placeOf(path, use),
    message: `This ${use.what}, which ${placeName(target)} cannot: the call would fail.`,
    fix: `${use.what === 'goes to the network' ? 'Load it into the database beforehand' : 'Do it in the function itself'}, ${ELSEWHERE}`,
  }));
}

/** Compiled parts of packages that were copied into the project. */
function checkNativeFiles({ others }: PythonProject, target: TargetName): readonly Finding[] {
  return others
    .filter((path) => /\.(so|pyd|dylib|dll)$/.test(path))
    .map((file) => ({
      severity: 'error',
      code: 'target-unsupported',
      file,
      line: 0,
      column: 0,
      message: `This is native code, which ${placeName(target)} cannot load.`,
      fix: `Take the package's pure Python, ${ELSEWHERE}`,
    }));
}

function placeOf(file: string, { line, column }: Pick<PythonImport, 'line' | 'column'>) {
  return { file, line, column };
}
