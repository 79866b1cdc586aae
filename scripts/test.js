#!/usr/bin/env node
import { setUpOrExit } from './setup.js';
import { checkSteps, platformStep, programStep, unitStep } from './test/steps.js';
import { runSteps } from './test/totals.js';

// The check first, then every engine and every built artefact.
await setUpOrExit({ wasm: true });
process.exitCode = await runSteps([...checkSteps, unitStep, programStep, platformStep]);
