import { expect, it } from 'vitest';
import { createPythonHost } from '../../../src/call/python-host.ts';
import type { LogLine } from '../../../src/ports.ts';
import { NO_SPANS } from '../../../src/telemetry/no-spans.ts';
import { contextOf } from './project.ts';

const LONG = 'planted '.repeat(1_000);
const ENTRY = {
  kind: 'tool',
  name: 'reads',
  parameters: [{ name: 'document', type: 'string', sensitive: true }],
  limits: { rows: 10, bytes: 1_000, timeoutMs: 1_000 },
} as never;

/** A host of one call, with all that its client and the log are told. */
async function createSide(notifications: object = {}) {
  const lines: LogLine[] = [];
  const steps: string[] = [];
  const runtime = { log: (line: LogLine) => void lines.push(line) } as never;
  const context = { ...contextOf(), ...notifications };
  const host = await NO_SPANS.trace('call', {}, null, async (span) =>
    createPythonHost(runtime, ENTRY, {
      context,
      span,
      events: [],
      scans: [],
      advance: (_share, text) => void steps.push(text),
      onRun: () => {},
      ended: new AbortController().signal,
      args: { document: LONG },
    }),
  );
  return { host, lines, steps };
}

it('tells of no part of a sensitive argument that is longer than a text may be', async () => {
  const { host, lines, steps } = await createSide();
  host.notice('warning', `cannot parse ${LONG}`);
  host.progress(1, 2, `reads ${LONG}`);
  expect(lines).toMatchObject([{ level: 'warn', message: 'reads: cannot parse [REDACTED]' }]);
  expect(steps).toEqual(['reads [REDACTED]']);
});
