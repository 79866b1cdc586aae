import { checkPythonTarget } from '../../deploy/python/check.ts';
import { readPython } from '../../deploy/python/project.ts';
import { TARGET_NAMES } from '../../deploy/target.ts';
import type { Finding } from '../../src/project/finding.ts';
import { pythonEndpoints } from '../../src/quality/python.ts';
import { type CheckedProject, siteFileOf, soundPart } from './project.ts';
import type { TargetChoice } from './target.ts';

/** What of a project's Python the platform that was asked for cannot run. */
export async function checkPythonOn(
  checked: CheckedProject,
  asked: TargetChoice | null,
): Promise<readonly Finding[]> {
  const target = TARGET_NAMES.find((name) => name === asked);
  const endpoints = pythonEndpoints(soundPart(checked).endpoints);
  if (target === undefined || endpoints.length === 0) return [];
  const files = [...new Set(endpoints.map(({ source }) => source))];
  const python = await readPython(checked.project.root, files, siteFileOf(checked).paths.python);
  if (python === null) return [];
  const apart = target === 'cloudflare-workers' ? files.map(onlyApart) : [];
  return [...apart, ...checkPythonTarget(python, target)];
}

function onlyApart(file: string): Finding {
  return {
    severity: 'warning',
    code: 'target-unsupported',
    file,
    line: 0,
    column: 0,
    message: 'cloudflare-workers runs Python only in a second Worker, which is experimental.',
    fix: 'Build with `--experimental-python`, write the endpoint in SQL, or deploy to aws-lambda or node.',
  };
}
