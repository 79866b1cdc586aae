import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Door } from './door.ts';
import { DOORS } from './doors.ts';
import { Found, knock } from './knock.ts';

/* `npm run fuzz -- [door] [seconds] [--seed n]`: every door, or one, for some seconds each. */

const SECONDS = 60;
const FOLDER = resolve('build/fuzz');
const USAGE = `npm run fuzz -- [door] [seconds] [--seed number]

Gives damaged input to every door, or to one, for ${SECONDS} seconds each. An input that breaks a promise is written to
build/fuzz. The doors:
${DOORS.map(({ name, promise }) => `  ${name.padEnd(10)}${promise}`).join('\n')}`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const name = positionals.find((word) => !/^\d+$/.test(word));
const seconds = Number(positionals.find((word) => /^\d+$/.test(word)) ?? SECONDS);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = name === undefined ? DOORS : DOORS.filter((door) => door.name === name);

if (values.help) console.log(USAGE);
else if (chosen.length === 0 || !Number.isSafeInteger(seed)) refuse();
else for (const door of chosen) await tryDoor(door);
// Servers behind doors may have connections that nobody closes.
process.exit();

async function tryDoor(door: Door): Promise<void> {
  try {
    const { inputs, slowest } = await knock(door, seed, { ms: seconds * 1_000 });
    console.log(
      `${door.name}: ${inputs} inputs held, the slowest took ${Math.ceil(slowest)} ms (seed ${seed})`,
    );
  } catch (thrown) {
    process.exitCode = 1;
    if (!(thrown instanceof Found)) throw thrown;
    console.log(`FOUND: ${thrown.message}\nWritten to ${keep(door, thrown.input)}`);
  }
}

function keep({ name }: Door, input: Uint8Array): string {
  mkdirSync(FOLDER, { recursive: true });
  const path = join(FOLDER, `${name}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`);
  writeFileSync(path, input);
  return path;
}

function refuse(): void {
  console.error(`There is no door ${name}, or --seed is not a whole number.\n${USAGE}`);
  process.exitCode = 2;
}
