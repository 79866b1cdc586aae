import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { findInterpreter } from '../../adapters/python/interpreter.ts';
import { KINDS } from './project.ts';
import { toReport } from './report.ts';
import { soak } from './soak.ts';

/* npm run soak -- 60m [--seed 7] [--server "serve, read-only"]: prints a report in Markdown. Ends with 1 if it found a problem. */

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function toMilliseconds(text: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (amount === undefined || factor === undefined || Number(amount) === 0)
    throw new Error(`"${text}" is no duration. Write a number and s, m or h, as in 90s, 60m or 8h.`);
  return Number(amount) * factor;
}

function toSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new Error(`--seed takes a number of at most nine digits, not "${text}".`);
  return Number(text);
}

async function main(): Promise<void> {
  const options = { seed: { type: 'string' }, server: { type: 'string', multiple: true } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [duration = '60m'] = positionals;
  const ms = toMilliseconds(duration);
  const seed = toSeed(values.seed ?? String(Date.now() % 1_000_000));
  const unknown = values.server?.find((name) => !KINDS.some((kind) => kind === name));
  if (unknown !== undefined)
    throw new Error(`There is no server "${unknown}". There are: ${KINDS.join('; ')}.`);
  const kinds = KINDS.filter((kind) => values.server?.includes(kind) ?? true);
  const python = await findInterpreter({ root: process.cwd(), env: process.env }).then(
    () => true,
    () => false,
  );
  const chosen = values.server?.map((name) => ` --server "${name}"`).join('') ?? '';
  const command = `npm run soak -- ${duration} --seed ${seed}${chosen}`;
  process.stderr.write(`${command} ...\n`);
  const delay = monitorEventLoopDelay();
  delay.enable();
  const results = await soak({ ms, seed, kinds, python });
  const pauseMs = delay.max / 1e6;
  process.stdout.write(`${toReport(results, { command, seed, pauseMs })}\n`);
  process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

await main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  // The load on the other servers goes on, and would keep this process alive.
  process.exit(2);
});
