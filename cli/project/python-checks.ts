import { inspectPython } from '../../adapters/python/inspect.ts';
import { readPython } from '../../deploy/python/carried-python.ts';
import { checkPythonTarget, pythonFix } from '../../deploy/python/check.ts';
import {
  isTargetName,
  runsPython,
  type TargetChoice,
  type TargetName,
} from '../../deploy/targets/targets.ts';
import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { checkPython, pythonEndpoints } from '../../src/quality/python.ts';
import { type CheckedProject, siteFileOf, soundPart } from './project.ts';

/** Checks the Python of endpoints without errors. Does not run it. */
export async function checkPythonFiles(
  checked: CheckedProject,
  only: string | null = null,
): Promise<readonly Finding[]> {
  const { root, site } = checked.project;
  const place = { root, env: process.env, interpreter: site?.python.interpreter ?? null };
  const endpoints = pythonEndpoints(soundPart(checked).endpoints).filter(
    ({ file }) => only === null || file.file === only,
  );
  if (endpoints.length === 0) return [];
  const texts = Object.fromEntries(endpoints.map(({ source, endpoint }) => [source, endpoint.source.text]));
  try {
    return checkPython(endpoints, await inspectPython(texts, place));
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || thrown.code !== 'python_unavailable') throw thrown;
    return [...new Set(endpoints.map(({ source }) => source))].map((file) => notChecked(file, thrown));
  }
}

function notChecked(file: string, { message }: SvcError): Finding {
  return {
    severity: 'warning',
    code: 'python-not-checked',
    file,
    line: 0,
    column: 0,
    message: `The Python was not checked: ${message.split('\n')[0] ?? ''}`,
    fix: 'Install python3, or name an interpreter in SVC_PYTHON or `python.interpreter`, and validate again.',
  };
}

/** Finds the parts of a project's Python that a platform cannot run. */
export async function checkPythonOn(
  checked: CheckedProject,
  target: TargetChoice | null,
): Promise<readonly Finding[]> {
  const endpoints = pythonEndpoints(soundPart(checked).endpoints);
  if (target === null || !isTargetName(target) || endpoints.length === 0) return [];
  const files = [...new Set(endpoints.map(({ source }) => source))];
  const python = await readPython(checked.project.root, files, siteFileOf(checked).paths.python);
  if (python === null) return [];
  const unsupported = runsPython({ target }) ? [] : files.map((file) => notSupported(file, target));
  return [...unsupported, ...checkPythonTarget(python, target)];
}

function notSupported(file: string, target: TargetName): Finding {
  const experimental = runsPython({ target, experimentalPython: true });
  return {
    severity: experimental ? 'warning' : 'error',
    code: 'target-unsupported',
    file,
    line: 0,
    column: 0,
    message: experimental ? `${target} runs Python only as an experiment.` : `${target} does not run Python.`,
    fix: pythonFix('Write the endpoint in SQL', target),
  };
}
