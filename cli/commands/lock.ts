import { join } from 'node:path';
import { compileCatalog } from '../../src/catalog/compile.ts';
import { type DriftChange, summarizeChanges } from '../../src/quality/drift/change.ts';
import { LOCK, toDocument } from '../../src/quality/drift/document.ts';
import type { Run } from '../command.ts';
import { toChangeLines, toChangesDocument, toSummaryText } from '../drift/change-text.ts';
import { compareLock, LOCK_FILE, readLock, toLock } from '../drift/lock.ts';
import { count, styled } from '../io/output.ts';
import { writeWhole } from '../io/write-files.ts';
import { checkProject, refuseErrors, siteOf } from '../project/project.ts';

/** `svc lock`: writes svc-lock.json, and shows the differences from the older one. */
export const run: Run = async (input, output) => {
  const checked = await checkProject(input);
  siteOf(checked);
  refuseErrors(checked);
  const { project } = checked;
  const catalog = await compileCatalog(project);
  // A lock that cannot be read is replaced, because this command is the way to get a new one.
  const before = await readLock(project).catch(() => null);
  const changes: readonly DriftChange[] = before === null ? [] : compareLock(before, catalog);
  const content = toLock(catalog);
  const { hash, text } = await toDocument(LOCK, content);
  const path = join(project.root, LOCK_FILE);
  await writeWhole(path, text);
  const endpoints = Object.keys(content.endpoints).length;
  const document = { status: 'ok', path, hash, endpoints, first: before === null };
  output.data({ ...document, ...toChangesDocument(changes) }, () => {
    const said =
      changes.length === 0 ? [] : [toChangeLines(changes), toSummaryText(summarizeChanges(changes))];
    const done = `${styled('ok', 'locked')} ${styled('strong', LOCK_FILE)} ${styled('dim', hash.slice(0, 12))}`;
    return [...said, `${done}: ${count(endpoints, 'endpoint')}`].join('\n');
  });
  return 0;
};
