import type { TargetName } from '../../deploy/targets/targets.ts';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { SvcError } from '../../src/errors.ts';
import type { Database } from '../../src/ports.ts';
import {
  ALLOWABLE,
  type Allowed,
  allowedIn,
  CHECKS,
  type CheckName,
  type CheckReport,
  isOpen,
  judge,
  skip,
  toProblems,
} from '../../src/quality/gate/report.ts';
import { nearestName } from '../../src/types/nearest.ts';
import type { CommandInput } from '../command.ts';
import type { Output } from '../io/output.ts';
import type { CheckedProject } from '../project/project.ts';
import { checkPythonFiles } from '../project/python-checks.ts';
import { engineOf } from '../project/target.ts';
import { driftCheck, type ServedEndpoints, statementFindings, testsCheck } from './database-checks.ts';
import {
  bundledSecrets,
  checkCapabilities,
  lintCheck,
  lockCheck,
  secretsCheck,
  validateCheck,
} from './project-checks.ts';
import { toGateError } from './report-text.ts';

/**
 * The checks of a build: first the checks without a database, then `inspect` with the database that will be served.
 */
export interface DeployGate {
  /** Always true: the check `target` reports parts that no artefact can serve, so the build need not. */
  readonly incapable: boolean;
  /** Makes the remaining checks. Throws project_invalid with all results if one forbids the build. */
  readonly inspect: (database: Database) => Promise<readonly Allowed[]>;
  /** The results of all checks, once `inspect` has ended. */
  readonly reports: () => readonly CheckReport[];
}

/** Parses `--allow`. Throws usage for an unknown check. */
function allowedOf(input: CommandInput): readonly CheckName[] {
  return input.list('allow').map((asked) => {
    const check = ALLOWABLE.find((name) => name === asked);
    if (check) return check;
    const near = nearestName(asked, ALLOWABLE);
    const hint =
      asked === 'validate'
        ? 'A project with errors cannot be built.'
        : near === null
          ? `Choose ${ALLOWABLE.join(', ')}.`
          : `Did you mean ${near}?`;
    throw new SvcError('usage', `--allow ${asked} is not known. ${hint}`);
  });
}

/** Makes the checks that need no database. Throws project_invalid if they leave nothing to build. */
export async function openGate(
  checked: CheckedProject,
  target: TargetName,
  input: CommandInput,
  output: Output,
): Promise<DeployGate> {
  const allowed = allowedOf(input);
  const python = await checkPythonFiles(checked);
  const first = [validateCheck([...checked.findings, ...python]), lintCheck(checked, allowed)];
  const bundled = await bundledSecrets(checked, input.text('config'));
  const secrets = await secretsCheck(checked, bundled, allowed);
  if (!isOpen(first.slice(0, 1)) || bundled.length > 0)
    throw toGateError(target, withRest([...first, secrets]));
  const catalog = await compileCatalog(checked.project);
  const still = [...first, secrets, await lockCheck(checked, catalog, allowed)];
  const platform = { target, engine: engineOf(input), experimentalPython: input.flag('experimentalPython') };
  const capability = await checkCapabilities(checked, catalog, platform);
  let reports: readonly CheckReport[] = still;
  return {
    incapable: true,
    reports: () => reports,
    inspect: async (database) => {
      const served: ServedEndpoints = { checked, catalog, database, target, allowed };
      const findings = await statementFindings(served);
      reports = [
        ...still,
        judge('target', [...capability, ...toProblems(findings)], allowed),
        await testsCheck(served, findings, { input, output }),
        await driftCheck(served),
      ];
      if (!isOpen(reports)) throw toGateError(target, reports);
      return allowedIn(reports);
    },
  };
}

/** Completes a report with the checks that were not made. */
function withRest(made: readonly CheckReport[]): readonly CheckReport[] {
  const known = new Set(made.map(({ check }) => check));
  const rest = CHECKS.filter((check) => !known.has(check));
  return [...made, ...rest.map((check) => skip(check, 'the project cannot be built as it is'))];
}
