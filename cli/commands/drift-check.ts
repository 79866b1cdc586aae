import { resolve } from 'node:path';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { SvcError } from '../../src/errors.ts';
import { FAIL_ON, type FailOn, isFailing, summarizeChanges } from '../../src/quality/drift/change.ts';
import { compareSnapshots } from '../../src/quality/drift/compare-snapshot.ts';
import { BASELINE, toDocument } from '../../src/quality/drift/document.ts';
import type { Snapshot } from '../../src/quality/drift/snapshot.ts';
import type { CommandInput, Run } from '../command.ts';
import { requireBaseline } from '../drift/baseline.ts';
import { toChangeLines, toChangesDocument, toSummaryText } from '../drift/change-text.ts';
import { takeSnapshot } from '../drift/snapshot.ts';
import { styled } from '../io/output.ts';
import { checkProject, siteOf } from '../project/project.ts';

/** `svc drift-check`: lists every change since the baseline with its class and its old and new value. */
export const run: Run = async (input, output) => {
  const failOn = failOnOf(input);
  const checked = await checkProject(input);
  siteOf(checked);
  const asked = input.text('baseline');
  const { root, site } = checked.project;
  const path = asked === undefined ? absolutePath(root, site?.drift.path ?? '') : resolve(asked);
  const baseline = await requireBaseline<Snapshot>(BASELINE, path);
  const snapshot = await takeSnapshot(input, checked, output);
  const { hash } = await toDocument(BASELINE, snapshot);
  const changes = compareSnapshots(baseline.content, snapshot);
  const failed = isFailing(changes, failOn);
  const document = {
    status: failed ? 'drift' : 'ok',
    has_drift: changes.length > 0,
    fail_on: failOn,
    baseline: path,
    baseline_hash: baseline.hash,
    current_hash: hash,
    ...toChangesDocument(changes),
  };
  output.data(document, () =>
    changes.length === 0
      ? `${styled('ok', 'no drift')} from ${baseline.path}`
      : `${toChangeLines(changes)}\n${toSummaryText(summarizeChanges(changes))} since ${baseline.path}`,
  );
  if (failed) output.note('If the changes are intended, run `svc drift-snapshot` and commit the file.');
  return failed ? 1 : 0;
};

/** By default any change fails the command; `--fail-on breaking` limits that. */
function failOnOf(input: CommandInput): FailOn {
  const asked = input.text('failOn') ?? 'any';
  const known = FAIL_ON.find((name) => name === asked);
  if (known) return known;
  throw new SvcError('usage', `--fail-on ${asked} is not known. Choose ${FAIL_ON.join(' or ')}.`);
}
