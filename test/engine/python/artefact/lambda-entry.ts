import { fileURLToPath } from 'node:url';
import { openChosenPython } from '../../../../adapters/python-pyodide/open.ts';
import { SETTINGS } from '../settings.ts';
import { createBackground } from './background.ts';
import { decode, encode, type FromArtefact, type ToArtefact } from './messages.ts';
import { serveCall } from './serve.ts';

/* Stands beside the function's handler, with everything that this finds there, and opens Python as it does. */

const say = (call: number, message: FromArtefact): void => void process.send?.([call, encode(message)]);
const python = openChosenPython({
  first: 'pyodide',
  size: 1,
  root: fileURLToPath(new URL('project', import.meta.url)),
  folder: 'python',
  env: process.env,
  settings: SETTINGS,
  background: createBackground(),
  log: (line) => say(0, { op: 'log', line }),
  workerUrl: new URL('python-worker.mjs', import.meta.url),
});
const calls = new Map<number, (message: ToArtefact) => void>();

process.on('message', ([call, text]: readonly [number, string]) => {
  if (!calls.has(call)) {
    serveCall(() => python, {
      send: (message) => say(call, message),
      onMessage: (take) => calls.set(call, take),
    });
  }
  calls.get(call)?.(decode(text));
});
