import { readPython } from '../../deploy/python/carried-python.ts';
import { checkPythonTarget, pythonFix } from '../../deploy/python/check.ts';
import { isTargetName, runsPython, type TargetName } from '../../deploy/targets/targets.ts';
import type { Finding } from '../../src/project/finding.ts';
import { pythonEndpoints } from '../../src/quality/python.ts';
import { type CheckedProject, siteFileOf, soundPart } from './project.ts';
import type { TargetChoice } from './target.ts';

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
  const experimental = runsPython({ target }) ? [] : files.map((file) => onlyExperimental(file, target));
  return [...experimental, ...checkPythonTarget(python, target)];
}

function onlyExperimental(file: string, target: TargetName): Finding {
  return {
    severity: 'warning',
    code: 'target-unsupported',
    file,
    line: 0,
    column: 0,
    message: `${target} runs Python only as an experiment.`,
    fix: pythonFix('Write the endpoint in SQL'),
  };
}
