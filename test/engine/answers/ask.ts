import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Answer, FromEngine, ToEngine } from './engine-process.ts';

const PROGRAM = fileURLToPath(new URL('engine-process.ts', import.meta.url));
const BATCH = 500;
/** A statement that nothing interrupts, such as a long plan: its process is ended. */
const STUCK_MS = 60_000;

/** Asks one engine all statements, in their order; a process that dies is replaced, and the next statement follows. */
export async function askAll(
  engine: 'wasm' | 'native',
  path: string,
  statements: readonly string[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < statements.length) {
    const by = await askUntilItDies(engine, path, { statements, answers });
    if (by !== null) answers.push({ kind: 'died', by });
  }
  return answers;
}

interface Progress {
  readonly statements: readonly string[];
  readonly answers: Answer[];
}

/** Fills in answers; returns how the process died, or null when all are there. */
function askUntilItDies(engine: string, path: string, progress: Progress): Promise<string | null> {
  const { statements, answers } = progress;
  return new Promise((resolve, reject) => {
    const child = fork(PROGRAM, [engine, path], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let timer = setTimeout(() => {}, 0);
    let ready = false;
    let sent = answers.length;
    const sendNext = (): void => {
      const batch: ToEngine = { first: sent, statements: statements.slice(sent, sent + BATCH) };
      sent += batch.statements.length;
      child.send(batch);
    };
    child.on('message', (message: FromEngine) => {
      clearTimeout(timer);
      if ('ready' in message) ready = true;
      else answers.push(message.answer);
      if (answers.length === statements.length) return end(child);
      timer = setTimeout(() => child.kill('SIGKILL'), STUCK_MS);
      if (answers.length === sent) sendNext();
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      if (!ready) reject(new Error(`the ${engine} engine did not start`));
      else resolve(answers.length === statements.length ? null : (signal ?? `exit ${code}`));
    });
  });
}

function end(child: ChildProcess): void {
  child.disconnect();
}
