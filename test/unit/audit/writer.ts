import { FileSink } from '../../../adapters/audit/file-sink.ts';

/* A process of its own that records: `writer.ts <path> <name> <how> <many> <max bytes>`. */

const [path = '', name = '', how = '', many = '0', maxBytes = '1000000000'] = process.argv.slice(2);
const limits = { maxBytes: Number(maxBytes), maxAgeMs: Number.POSITIVE_INFINITY };
const sink = new FileSink({ path, limits, onError: 'block', log: ({ message }) => console.error(message) });
await sink.open();

const line = (index: number) => JSON.stringify({ id: `${name}-${index}`, pad: 'x'.repeat(index % 400) });

if (how === 'for ever') {
  // Tells of each record that is safe, until somebody kills it.
  for (let index = 0; ; index += 1) {
    sink.record(line(index));
    if (index % 97 === 0) {
      await sink.flush();
      process.stdout.write(`${index}\n`);
    }
    if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
for (let index = 0; index < Number(many); index += 1) {
  sink.record(line(index));
  if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
if (how === 'exit') process.exit(0);
if (how === 'interrupt') process.once('SIGINT', () => process.exit(130));
if (how === 'interrupt') process.kill(process.pid, 'SIGINT');
if (how === 'close') await sink.close();
if (how === 'crash') throw new Error('nobody catches this');
