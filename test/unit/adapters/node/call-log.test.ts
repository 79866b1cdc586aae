import { expect, it } from 'vitest';
import { createCallLog } from '../../../../adapters/node/call-log.ts';
import type { CallRecord } from '../../../../src/call/call-record.ts';
import { NO_DECISION } from '../../../../src/policy/decision.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { contextOf } from '../../call/project.ts';

const NAME = 'sales\n12:00:00 tool payroll ok 1.0 ms ada\u2028\u001b]0;x\u0007';

const CALL: CallRecord = {
  kind: 'tool',
  name: NAME,
  entry: null,
  context: contextOf(null),
  args: {},
  status: 'success',
  startedAt: 0,
  durationMs: 1.25,
  decision: NO_DECISION,
  traceId: null,
  error: null,
  result: [1, 2],
};

it('a call is one line, though its caller chose the name', () => {
  const lines: LogLine[] = [];
  createCallLog((line) => lines.push(line))(CALL);
  expect(lines.map(({ message }) => message)).toEqual([
    'tool sales 12:00:00 tool payroll ok 1.0 ms ada ]0;x  ok 1.3 ms 2 rows',
  ]);
  expect(lines[0]?.fields).toMatchObject({ endpoint: NAME });
});

it('an unknown name is redacted, as in the audit log', () => {
  const lines: LogLine[] = [];
  const name = 'customer://jane/cards?ssn=123-45-6789&token=planted';
  createCallLog((line) => lines.push(line))({ ...CALL, kind: 'resource', name });
  expect(lines[0]).toMatchObject({
    message: 'resource customer://jane/cards?[REDACTED] ok 1.3 ms 2 rows',
    fields: { endpoint: 'customer://jane/cards?[REDACTED]' },
  });
});
