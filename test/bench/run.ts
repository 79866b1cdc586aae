import { measureBoot } from './boot.ts';
import { createBuilt } from './built.ts';
import { measureCalls } from './calls.ts';
import { keepsBudget, type Row, toTable } from './measure.ts';
import { measureSizes } from './sizes.ts';

/* npm run bench [-- calls boot sizes]: ratios measured in one run; ends with 1 when a budget is not kept. */

const few = await createBuilt(5);
const many = await createBuilt(500, ['node']);
const some = await createBuilt(200);

const GROUPS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  calls: () => measureCalls(few, many),
  boot: () => measureBoot(some),
  sizes: () => measureSizes(few),
};

const asked = process.argv.slice(2);
const rows: Row[] = [];
for (const [name, measure] of Object.entries(GROUPS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  rows.push(...(await measure()));
}
for (const built of [few, many, some]) await built.remove();
process.stdout.write(`${toTable(rows)}\n`);
process.exitCode = rows.every(keepsBudget) ? 0 : 1;
