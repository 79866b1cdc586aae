import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { BuildOptions } from '../build-options.ts';
import { refuseBuild } from '../compile-project.ts';
import { runsPython, TARGET_NAMES, TARGETS, type TargetName, toChoice } from '../targets/targets.ts';
import { type PythonImport, type PythonSources, type ReachedFile, reachedFrom, usesOf } from './imports.ts';
import { MISSING_MODULES, NATIVE_PACKAGES, STANDARD_MODULES } from './known-modules.ts';

/** The Python of a project: the files of its endpoints and its folder of modules. */
export interface PythonProject {
  /** Files of endpoints. */
  readonly endpoints: readonly string[];
  /** `paths.python` of the site file. */
  readonly folder: string;
  readonly sources: PythonSources;
  /** The other files in the folder. */
  readonly others: readonly string[];
}

type PythonBuild = Pick<BuildOptions, 'target' | 'experimentalPython' | 'incapable'>;

/** Returns the findings that do not forbid a build. Throws for the others, unless `incapable` allows them. */
export function enforcePythonTarget(project: PythonProject, options: PythonBuild): readonly Finding[] {
  const findings = checkPythonTarget(project, options.target);
  if (options.incapable) return findings;
  if (!runsPython(options)) throw noPython(project, options.target);
  refuseBuild(findings.filter(({ severity }) => severity === 'error'));
  return findings;
}

/** The error for a platform that cannot have Python endpoints at all. */
export function noPython({ endpoints }: PythonProject, target: TargetName): SvcError {
  return new SvcError(
    'target_unsupported',
    `${target} does not run Python, and these endpoints are in Python: ${endpoints.join(', ')}. ${pythonFix('Write them in SQL, set `enabled: false` for them', target)}`,
  );
}

/** A sentence that ends with the ways to deploy Python: `<advice>, or build for node or aws-lambda. ...`. */
export function pythonFix(advice: string, target: TargetName): string {
  const others = TARGET_NAMES.filter((name) => runsPython({ target: name }));
  const experiment =
    TARGETS[target].python === 'experimental'
      ? ' To try it all the same, build with `--experimental-python`.'
      : '';
  return `${advice}, or build for ${toChoice(others)}.${experiment}`;
}

/**
 * Finds the parts of a project's Python that Python in WebAssembly cannot run. They are warnings on a platform that
 * prefers its own python3.
 */
export function checkPythonTarget(project: PythonProject, target: TargetName): readonly Finding[] {
  const reached = reachedFrom(project.endpoints, project.sources, project.folder);
  const found = [
    ...reached.flatMap((file) => checkImports(file, project, target)),
    ...reached.flatMap((file) => checkUses(file, target)),
    ...checkNativeFiles(project, target),
  ];
  return TARGETS[target].python === 'native'
    ? found.map((finding) => ({ ...finding, severity: 'warning' }))
    : found;
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

const ELSEWHERE = 'or deploy to a machine with python3: `svc serve`, or `svc build --target node`.';

function replacementOf(name: string): string {
  return ['pandas', 'polars', 'numpy', 'duckdb', 'pyarrow'].includes(name)
    ? 'Let SQL compute it and pass rows through `db.execute`, use `statistics` and `decimal`'
    : 'Use the standard library instead';
}

/** Names the interpreter that has the limits. */
function placeName(target: TargetName): string {
  return TARGETS[target].python === 'native'
    ? 'Python in WebAssembly, which runs if there is no python3,'
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

/** Finds compiled parts of packages that were copied into the project. */
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
