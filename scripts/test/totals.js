import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../setup/root.js';

const TOTALS = join(ROOT, 'build/tests/totals');

/**
 * Runs all steps, even after a failure, and prints their results. Returns the exit code. The steps of `beside` run while
 * the first ones run: they mostly wait for other programs.
 */
export async function runSteps(steps, beside = []) {
  const results = await runSides(steps, beside, runStep);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  mkdirSync(join(ROOT, 'build/tests'), { recursive: true });
  writeFileSync(TOTALS, `${passed} passed, ${failed} failed\n`);
  const failures = results.flatMap(({ names = [] }) => names).map((name) => `FAIL ${name}`);
  const busy = processorSeconds();
  const used = busy === null ? [] : [`processor time: ${Math.round(busy).toLocaleString('en')} s at least`];
  console.log(`\n${[...results.map(lineOf), ...used, ...failures].join('\n')}`);
  return failed === 0 ? 0 : 1;
}

const STAT = '/proc/self/stat';
const TICKS_PER_SECOND = 100;

/**
 * The processor time of this program and of every program that ended below it, in seconds; null where the system does not
 * tell. Machines differ in speed by half, so the clock says little about the work of a run.
 */
export function processorSeconds() {
  if (!existsSync(STAT)) return null;
  // The name of the program stands in brackets before these fields, and may have blanks.
  const fields = readFileSync(STAT, 'utf8').split(') ').at(-1).split(' ');
  const ticks = fields.slice(11, 15).map(Number);
  return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
}

/**
 * Runs the steps of two sides, each in turn. The side that ends first takes over the last steps of the other. Returns the
 * results of the first side, then those of the second.
 */
export async function runSides(steps, beside, run) {
  const [own, others] = [[...steps], [...beside]];
  const [first, second] = [() => own.shift() ?? others.pop(), () => others.shift() ?? own.pop()];
  if (beside.length === 0) return runInTurn(first, run);
  return (await Promise.all([runInTurn(first, run), runInTurn(second, run)])).flat();
}

async function runInTurn(next, run) {
  const results = [];
  for (let step = next(); step !== undefined; step = next()) results.push(await run(step));
  return results;
}

async function runStep({ name, run }) {
  const start = Date.now();
  const result = await run().catch(toFailure);
  if (result.failed > 0 && result.output) console.error(result.output);
  return { name, ...result, seconds: (Date.now() - start) / 1000 };
}

/** A step that cannot run is a failure, and the others still run. */
function toFailure(error) {
  return { passed: 0, failed: 1, output: error.stack, names: [error.message] };
}

function lineOf({ name, passed, failed, seconds, skipped }) {
  if (skipped !== undefined) return `skip ${name}: ${skipped}`;
  const counts = `${passed} passed, ${failed} failed`;
  return `${failed === 0 ? 'ok  ' : 'FAIL'} ${name}: ${counts} (${seconds.toFixed(1)} s)`;
}
