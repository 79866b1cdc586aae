import { expect, test } from 'vitest';
import { flushWithin } from '../../../../adapters/aws-lambda/invocation.ts';
import type { Telemetry } from '../../../../adapters/otel/telemetry.ts';
import { NO_SPANS } from '../../../../src/telemetry/no-spans.ts';

function telemetry(flush: () => Promise<void>): Telemetry {
  return { spans: NO_SPANS, observe() {}, flush, async close() {} };
}

test('waits until everything is sent', async () => {
  const sent: string[] = [];
  const flush = async () => {
    await new Promise((resolve) => setTimeout(resolve));
    sent.push('all');
  };
  await flushWithin(telemetry(flush), 60_000);
  expect(sent).toEqual(['all']);
});

test('waits no longer than the invocation has left', async () => {
  await flushWithin(
    telemetry(() => new Promise(() => {})),
    110,
  );
});

test('does not begin what cannot end in time', async () => {
  let begun = false;
  const flush = async () => {
    begun = true;
  };
  await flushWithin(telemetry(flush), 90);
  await flushWithin(null, 60_000);
  expect(begun).toBe(false);
});
