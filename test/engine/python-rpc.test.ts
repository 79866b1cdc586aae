import { vi } from 'vitest';
import { artefactOf } from './python/artefact/implementation.ts';
import { startContractWorker } from './python/artefact/worker.ts';
import { describePython } from './python/contract.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 });

describePython(
  artefactOf({ name: 'RPC in workerd', target: 'cloudflare-workers', start: startContractWorker }),
);
