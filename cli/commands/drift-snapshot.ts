import { relative } from 'node:path';
import { absolutePath } from '../../adapters/node/absolute-path.ts';
import { BASELINE, toDocument } from '../../src/quality/drift/document.ts';
import type { Run } from '../command.ts';
import { takeSnapshot } from '../drift/snapshot.ts';
import { count, styled } from '../io/output.ts';
import { writeWhole } from '../io/write-files.ts';
import { checkProject } from '../project/project.ts';

/** `svc drift-snapshot`: records tables, endpoints and test outcomes for `svc drift-check`. */
export const run: Run = async (input, output) => {
  const checked = await checkProject(input);
  const snapshot = await takeSnapshot(input, checked, output);
  const { hash, text } = await toDocument(BASELINE, snapshot);
  const { root, site } = checked.project;
  const path = absolutePath(root, site?.drift.path ?? '');
  await writeWhole(path, text);
  const tests = Object.values(snapshot.endpoints).flatMap((endpoint) => Object.values(endpoint.tests));
  const many = {
    tables: Object.keys(snapshot.tables).length,
    endpoints: Object.keys(snapshot.endpoints).length,
    tests: tests.length,
    failing_tests: tests.filter((outcome) => outcome === 'failed' || outcome === 'error').length,
  };
  output.data({ status: 'ok', path, hash, ...many }, () => {
    const what = [count(many.tables, 'table'), count(many.endpoints, 'endpoint'), count(many.tests, 'test')];
    const where = relative(process.cwd(), path) || path;
    return `${styled('ok', 'written')} ${styled('strong', where)} ${styled('dim', hash.slice(0, 12))}: ${what.join(', ')}`;
  });
  if (many.failing_tests > 0) {
    output.note(
      `${count(many.failing_tests, 'test')} of these fail, and the baseline takes that for granted. \`svc test\` shows why.`,
    );
  }
  return 0;
};
