import { checkPythonTarget } from '../deploy/python/check.ts';
import { readPython } from '../deploy/python/project.ts';
import { TARGET_NAMES } from '../deploy/target.ts';
import type { Finding } from '../src/project/finding.ts';
import { pythonEndpoints } from '../src/quality/python.ts';
import { type CheckedProject, siteFileOf, soundPart } from './project.ts';
import type { Target } from './target.ts';

/** What of a project's Python the platform that was asked for cannot run. */
export async function checkPythonOn(
  checked: CheckedProject,
  asked: Target | null,
): Promise<readonly Finding[]> {
  const target = TARGET_NAMES.find((name) => name === asked);
  const endpoints = pythonEndpoints(soundPart(checked).endpoints);
  if (target === undefined || endpoints.length === 0) return [];
  const files = [...new Set(endpoints.map(({ source }) => source))];
  const python = await readPython(checked.project.root, files, siteFileOf(checked).paths.python);
  return python === null ? [] : checkPythonTarget(python, target);
}
