import { CONTENDERS, type ContenderName } from '../engine/contenders.ts';
import { HEAVY } from '../engine/data.ts';

/*
 * One contender in a process of its own: open the file named in argv, answer one query, then all heavy ones where
 * argv says so; ends with what that took on stdout.
 */

const [, , name = '', path = '', work = 'first'] = process.argv;
const open = CONTENDERS[name as ContenderName];
const contender = await open(path, { memoryMb: 512 });
await contender.run('SELECT max(id) AS most FROM customers');
const firstMs = performance.now();
if (work === 'all') {
  for (let round = 0; round < 3; round += 1) for (const sql of Object.values(HEAVY)) await contender.run(sql);
}
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ firstMs, megabytes }));
process.exit(0);
