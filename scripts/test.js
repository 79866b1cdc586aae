#!/usr/bin/env node
import { setUpOrExit } from './setup.js';
import {
  browserStep,
  checkSteps,
  clientsStep,
  collectorStep,
  dbtStep,
  engineStep,
  idpStep,
  lakeStep,
  lambdaStep,
  lightVendorsStep,
  matrixStep,
  packageStep,
  programStep,
  unitStep,
  vendorsStep,
} from './test/steps.js';
import { runSteps } from './test/totals.js';

const STEPS = [...checkSteps, unitStep, programStep, matrixStep, engineStep];
const [, , asked, option] = process.argv;

/** The steps, and those that run beside them. Steps that install something run only on demand. */
const CHOICES = {
  '--dbt': [STEPS, [dbtStep]],
  '--outside': [STEPS, [packageStep, browserStep, lightVendorsStep, lakeStep, idpStep, lambdaStep, dbtStep]],
  '--only-dbt': [[dbtStep]],
  '--only-lake': [[lakeStep, lambdaStep]],
  '--only-idp': [[idpStep]],
  '--only-package': [[packageStep]],
  '--only-browser': [[browserStep]],
  '--only-collector': [[collectorStep]],
  '--only-clients': [[clientsStep, vendorsStep]],
};

// `npm run test:clients -- --write` stores what it finds, for docs/reference/clients.md.
if (option === '--write') process.env.SVC_TEST_VENDORS_WRITE = '1';

// The check first, then every engine and every built artefact.
await setUpOrExit({ wasm: true });
process.exitCode = await runSteps(...(CHOICES[asked] ?? [STEPS]));
