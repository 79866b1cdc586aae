import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from '../setup/root.js';

const NOTHING = { numPassedTests: 0, numFailedTests: 0, testResults: [] };
const UNAWAITED = '. A promise was rejected before a test awaited it, or after its test had ended.';

/**
 * Counts the results of a run of vitest, and names each failure with its file. A file that cannot be loaded and a run
 * with errors outside of all tests count as one failed test each.
 */
export function resultsOf({ report, unhandled, status }) {
  const { numPassedTests: passed, numFailedTests, testResults } = read(report, NOTHING);
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  const failed = numFailedTests + unloaded.length;
  const outside = read(unhandled, []).map(toName);
  if (status !== 0 && failed === 0) {
    const names =
      outside.length > 0 ? outside : [`vitest ended with ${status} and no failed test: a process crashed.`];
    return { passed, failed: 1, crashed: true, names };
  }
  const names = [...unloaded.map(toUnloaded), ...testResults.flatMap(failuresOf), ...outside];
  return { passed, failed, crashed: false, names };
}

function toUnloaded({ name, message }) {
  return [`${shorten(name)} cannot be loaded`, ...firstLines(message)].join('\n    ');
}

/** The first lines of the error, for a reader of a log's end. */
function failuresOf({ name, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  return failed.map(({ fullName, failureMessages = [] }) =>
    [`${shorten(name)}: ${fullName}`, ...firstLines(failureMessages.join('\n'))].join('\n    '),
  );
}

function toName({ file, test, type, stack }) {
  const place = file === null ? 'outside of all files' : shorten(file);
  const during = test === null ? '' : ` (while "${test}" ran)`;
  const why = type === 'Unhandled Rejection' ? UNAWAITED : '';
  return [`${place}: ${type}${during}${why}`, ...firstLines(stack)].join('\n    ');
}

const firstLines = (text) => text.split('\n').slice(0, 6);

function shorten(path) {
  const short = relative(ROOT, path);
  return short.startsWith('..') ? path : short;
}

function read(path, otherwise) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return otherwise;
  }
}
