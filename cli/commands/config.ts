import type { EffectiveValue } from '../../src/settings/effective/effective.ts';
import type { Run } from '../command.ts';
import { toFindingLines } from '../io/findings.ts';
import { styled, toColumns } from '../io/output.ts';
import { checkProject } from '../project/project.ts';
import { checkProjectSettings, toConfigError } from '../project/settings.ts';

/** `svc config`: shows every effective value and its origin. Secrets are redacted. */
export const run: Run = async (input, output) => {
  const checked = await checkProject(input);
  const { effective, findings } = await checkProjectSettings(input, checked);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (effective.length === 0) throw toConfigError(errors);
  const status = errors.length > 0 ? 'error' : 'ok';
  const shown = findings.map((finding) => ({ ...finding }));
  output.data({ status, values: effective.map((row) => ({ ...row })), findings: shown }, () =>
    toText(effective),
  );
  if (!output.json && findings.length > 0) output.note(toFindingLines(findings, { stream: process.stderr }));
  return errors.length > 0 ? 1 : 0;
};

function toText(effective: readonly EffectiveValue[]): string {
  return toColumns(
    effective.map(({ key, value, origin, source }) => [
      styled('strong', key),
      typeof value === 'string' ? value : JSON.stringify(value),
      styled('dim', source ?? origin),
    ]),
  );
}
