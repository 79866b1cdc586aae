import { SvcError } from '../../src/errors.ts';
import type { Finding } from '../../src/project/finding.ts';
import { refuseBuild } from '../gate.ts';
import type { Target, TargetName } from '../target.ts';
import { checkPythonTarget } from './check.ts';
import type { CarriedPython } from './project.ts';

/** What may not work on a platform; throws for what cannot, unless that is let pass. */
export function enforcePythonTarget(
  python: CarriedPython,
  name: TargetName,
  { pythonBundles }: Target,
  { incapable = false } = {},
): readonly Finding[] {
  const findings = checkPythonTarget(python, name);
  if (incapable) return findings;
  if (pythonBundles === null) throw noPython(python, name);
  refuseBuild(findings.filter(({ severity }) => severity === 'error'));
  return findings;
}

/** Why Python cannot be on a platform at all, whatever is let pass. */
export function noPython({ endpoints }: CarriedPython, name: TargetName): SvcError {
  return new SvcError(
    'target_unsupported',
    `${name} runs no Python, and these endpoints are in Python: ${endpoints.join(', ')}. Write them in SQL, set \`enabled: false\` for them, or build for aws-lambda or node.${name === 'cloudflare-workers' ? ' `--experimental-python` gives them a Worker of their own.' : ''}`,
  );
}
