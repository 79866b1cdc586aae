import { expect, it } from 'vitest';
import { createRecent } from '../../../src/admin/activity.ts';
import type { CallRecord } from '../../../src/call/call-record.ts';
import { SvcError } from '../../../src/errors.ts';
import { NO_DECISION } from '../../../src/policy/decision.ts';
import { contextOf } from '../call/project.ts';

const call = (name: string): CallRecord => ({
  kind: 'resource',
  name,
  entry: null,
  context: contextOf(null),
  args: { token: 'planted' },
  status: 'error',
  startedAt: 0,
  durationMs: 1,
  decision: NO_DECISION,
  traceId: null,
  error: new SvcError('endpoint_unknown', `Unknown resource: ${name}`),
  result: null,
});

it('what happened lately tells nothing of what was sent', () => {
  const { observe, activity } = createRecent({ now: () => 0 });
  observe(call('orders://x?token=planted'));
  observe(call('Bearer planted-token-of-somebody'));
  const { calls, minutes } = activity();
  expect(calls.map(({ name }) => name)).toEqual(['[REDACTED]', 'orders://x?[REDACTED]']);
  expect(minutes.at(-1)).toMatchObject({ calls: 2, errors: 2 });
});
