import type { Telemetry } from '../otel/telemetry.ts';

/** Kept for Lambda itself, so that a slow collector does not make an answered invocation a failed one. */
const RESERVE_MS = 100;

/** Sends what an invocation measured, in what is left of its time; Lambda freezes the function afterwards. */
export async function flushWithin(telemetry: Telemetry | null, leftMs: number): Promise<void> {
  const ms = leftMs - RESERVE_MS;
  if (telemetry === null || ms <= 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([telemetry.flush(), over]).finally(() => clearTimeout(timer));
}
