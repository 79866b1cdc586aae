import { serveStdio } from '../../../../adapters/stdio/serve.ts';
import type { LogLine } from '../../../../src/ports.ts';
import { createFakeRuntime } from '../../mcp/fixture.ts';

// A server in a process that prints what it should not.
const runtime = { ...createFakeRuntime(), log: ({ message }: LogLine) => console.error(message) };
const connection = serveStdio({ runtime, version: '1.2.3', graceMs: 300 });
console.log('noise from console.log');
console.info('noise from console.info');
process.stdout.write('noise from process.stdout\n');
process.once('SIGTERM', () => void connection.close());
// Something that would keep the process alive.
const engine = setInterval(() => console.log('noise from a timer'), 20);
await connection.ended;
clearInterval(engine);
