import { vi } from 'vitest';
import { artefactOf } from './python/artefact/implementation.ts';
import { startContractFunction } from './python/artefact/lambda.ts';
import { describePython } from './python/contract.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

describePython(artefactOf({ name: 'Pyodide on Lambda', target: 'aws-lambda', start: startContractFunction }));
