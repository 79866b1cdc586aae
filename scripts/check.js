#!/usr/bin/env node
import { setUpOrExit } from './setup.js';
import { checkSteps, unitStep } from './test/steps.js';
import { runSteps } from './test/totals.js';

// What takes less than a minute: format, lint, types, import rules, unit tests that start no programs.
await setUpOrExit({ wasm: true });
process.exitCode = await runSteps([...checkSteps, unitStep]);
