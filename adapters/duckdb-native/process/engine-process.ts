import { isMainThread } from 'node:worker_threads';

/* The entry of an engine's own process, and of the thread that watches it; an artefact carries it as a file of its own. */

if (isMainThread) (await import('./answer-server.ts')).answerServer(new URL(import.meta.url));
else (await import('./watch.ts')).watchProcess();
