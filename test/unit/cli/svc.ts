import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../temporary-folder.ts';

export { temporaryFolder as folder };

const SVC = resolve('cli/svc.js');

/** How a finished command ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Where {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The real program, started without a terminal. */
export class Svc {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], { cwd, env = {} }: Where) {
    const clean = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(SVC|npm)_/.test(name)),
    );
    this.child = spawn(process.execPath, [SVC, ...args], { cwd, env: { ...clean, ...env } });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = new Promise((done) => {
      this.child.on('close', (code, signal) => {
        done({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
    onTestFinished(() => void this.child.kill('SIGKILL'));
  }

  /** Waits until the program has written something; fails with all it said when it ends first. */
  async until(pattern: RegExp, stream: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpExecArray> {
    const found = () => pattern.exec(this[stream]);
    return new Promise((done, fail) => {
      const look = () => {
        const match = found();
        if (match) done(match);
      };
      this.child[stream]?.on('data', look);
      void this.ended.then(({ stdout, stderr }) => fail(new Error(`ended early:\n${stdout}\n${stderr}`)));
      look();
    });
  }
}

/** Runs a command to its end. */
export function svc(
  args: readonly string[],
  cwd: string,
  env?: Readonly<Record<string, string>>,
): Promise<Ended> {
  const running = new Svc(args, { cwd, ...(env ? { env } : {}) });
  running.child.stdin?.end();
  return running.ended;
}

let made: Promise<string> | null = null;

afterAll(async () => {
  const root = await made?.catch(() => null);
  if (root) rmSync(dirname(root), { recursive: true, force: true });
});

/** A project as `svc init --bootstrap` makes it, a fresh copy for each test. */
export async function project(): Promise<string> {
  // one that a test's end has cut short is made again for the next
  made ??= makeProject().catch((thrown) => {
    made = null;
    throw thrown;
  });
  const root = join(temporaryFolder(), 'demo');
  cpSync(await made, root, { recursive: true });
  return root;
}

async function makeProject(): Promise<string> {
  const parent = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  const { code, stderr } = await svc(['init', 'demo', '--bootstrap', '--yes'], parent);
  if (code !== 0) throw new Error(stderr);
  const root = join(parent, 'demo');
  // Its database is made, and written by some tests.
  const site = join(root, 'svc-site.yml');
  writeFileSync(site, readFileSync(site, 'utf8').replace('readonly: true', 'readonly: false'));
  return root;
}
