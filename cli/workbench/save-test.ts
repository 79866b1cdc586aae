import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../src/crypto/digest.ts';
import { SvcError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/json.ts';
import type { EndpointFile, Project } from '../../src/project/model.ts';
import { toLineDiff } from '../../src/quality/drift/lines.ts';
import { addTest } from './add-test.ts';
import type { TestDiff, TestDraft } from './model.ts';

/** Shows how a file would change if a call became one of its tests. Throws `usage` for an unknown endpoint. */
export async function draftTest(project: Project, draft: TestDraft): Promise<TestDiff> {
  const { file, before, after } = await changed(project, draft);
  return { file, diff: toLineDiff(before, after), hash: await sha256Hex(before) };
}

/** Writes the test. Throws `usage` if the file is no longer the one that the diff was made of. */
export async function saveTest(project: Project, draft: TestDraft, hash: string): Promise<void> {
  const { file, before, after } = await changed(project, draft);
  if ((await sha256Hex(before)) !== hash) {
    throw new SvcError('usage', `${file} has changed since the difference was shown. Look at it again.`);
  }
  const path = join(project.root, file);
  const beside = `${path}.${process.pid}.tmp`;
  await writeFile(beside, after, { flag: 'wx' });
  await rename(beside, path);
}

async function changed(project: Project, draft: TestDraft) {
  const { file, kind } = fileOf(project, draft.endpoint);
  const before = await readFile(join(project.root, file), 'utf8');
  return { file, before, after: addTest(before, kind, toTest(draft)) };
}

function fileOf(project: Project, id: string): EndpointFile {
  const found = project.endpoints.find(
    ({ kind, endpoint }) => endpoint !== null && `${kind}/${endpoint.name}` === id,
  );
  if (found !== undefined) return found;
  throw new SvcError('usage', `${id} has no file in this project, so it has no tests.`);
}

function toTest({ name, arguments: args, user_context, expect }: TestDraft): JsonObject {
  return {
    name,
    arguments: Object.entries(args).map(([key, value]) => ({ key, value })),
    ...(user_context === null ? {} : { user_context }),
    ...expect,
  };
}
