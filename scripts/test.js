#!/usr/bin/env node
import { setUpOrExit } from './setup.js';
import { checkSteps, dbtStep, platformStep, programStep, unitStep } from './test/steps.js';
import { runSteps } from './test/totals.js';

const STEPS = [...checkSteps, unitStep, programStep, platformStep];
const [, , asked] = process.argv;

// The check first, then every engine and every built artefact; a real dbt, which must be installed first, on demand.
await setUpOrExit({ wasm: true });
process.exitCode = await runSteps(
  asked === '--only-dbt' ? [dbtStep] : asked === '--dbt' ? [...STEPS, dbtStep] : STEPS,
);
