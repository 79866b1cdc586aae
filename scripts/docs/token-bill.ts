import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toManyTools } from '../../test/fixtures/many-tools.ts';

/* Prints what the tools of a generated project with 200 endpoints cost a model, before and after each choice. */

const root = mkdtempSync(join(tmpdir(), 'svc-bill-'));
const files = { 'svc-site.yml': 'svc: 1\nproject: large\nprofile: default\n', ...toManyTools() };
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const args = [resolve('cli/svc.js'), 'lint', '--tokens', '--severity', 'error'];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
rmSync(root, { recursive: true, force: true });
process.exitCode = status ?? 1;
