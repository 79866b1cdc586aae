import {
  createLazyPython,
  type LazyPython,
  type ProjectPython,
} from '../../adapters/node/project/lazy-python.ts';
import type { Log } from '../../src/ports.ts';
import type { Output } from '../io/output.ts';
import { type CheckedProject, siteFileOf } from './project.ts';

/** Makes a project's Python for the duration of a command. */
export function lazyPython(checked: CheckedProject, options: ProjectPython): LazyPython {
  return createLazyPython({ root: checked.project.root, site: siteFileOf(checked) }, options);
}

/** Shows the output of functions to the person at the terminal. */
export function withPrinted(log: Log, output: Output): Log {
  return (line) => (line.level === 'info' ? output.note(line.message) : log(line));
}
