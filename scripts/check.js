#!/usr/bin/env node
import { setUpOrExit } from './setup.js';
import { checkSteps, unitStep } from './test/steps.js';
import { runSteps } from './test/totals.js';

// Everything but the engine and matrix tests: format, lint, types, import rules, unit tests.
await setUpOrExit({ wasm: true });
process.exitCode = await runSteps([...checkSteps, unitStep]);
