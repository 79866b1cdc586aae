import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { startHttpServer } from '../../../../../adapters/node/http/server.ts';
import { seedOfPart } from '../../../../seed-of-part.ts';
import { createTestApp } from '../../../mcp/fixture.ts';
import { createNoiseRuntime, sendNoise, toNoise } from '../../../mcp/noise.ts';
import { createRandom, type Random } from '../../../types/random.ts';

vi.setConfig({ testTimeout: 600_000 });

const SEED = Number(process.env.SVC_FUZZ_SEED ?? 20_261_121);
const ROUNDS = 40_000;
const BROKEN = 2_000;

/** Bytes of the heap that are in use once everything that can go has gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

describe(`noise of seed ${SEED}`, () => {
  it(`${ROUNDS} mutated requests: each is answered, none by a fault, and nothing of them is kept`, async () => {
    const runtime = createNoiseRuntime();
    const app = createTestApp(runtime);
    const held: number[] = [];
    for (let part = 0; part < 10; part += 1) {
      await sendNoise(app, seedOfPart(SEED, part), ROUNDS / 10);
      expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
      // What the test itself collects.
      runtime.lines.length = 0;
      runtime.fake.calls.length = 0;
      held.push(heldBytes());
    }
    const [, early = 0] = held;
    expect((held.at(-1) ?? 0) - early, `held ${held}`).toBeLessThan(8 * 1024 * 1024);
  });

  it('a tenth of them, where clients have sessions', async () => {
    const runtime = createNoiseRuntime();
    const app = createTestApp(runtime, { stateless: false });
    await sendNoise(app, SEED, ROUNDS / 10);
    expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it(`${BROKEN} broken requests over sockets: refused or dropped, and the server is well`, async () => {
    const runtime = createNoiseRuntime();
    const limits = { headersTimeout: 500, requestTimeout: 1_000, connectionsCheckingInterval: 100 };
    const app = createTestApp(runtime);
    const server = await startHttpServer({ app, host: '127.0.0.1', port: 0, limits });
    const random = createRandom(SEED);
    const statuses = new Set<string>();
    for (let round = 0; round < BROKEN; round += 50) {
      const sent = Array.from({ length: 50 }, () => toWire(random));
      const answers = await Promise.all(sent.map((bytes) => exchange(server.port, bytes)));
      answers.forEach((answer, index) => {
        const shown = `seed ${SEED}, round ${round + index}: ${answer.slice(0, 300)} for ${sent[index]?.toString('latin1').slice(0, 2_000)}`;
        expect(answer, shown).toMatch(/^(HTTP\/1\.1 \d{3} |$)/);
        for (const [, status = ''] of answer.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)) {
          expect(status, shown).not.toMatch(/^5/);
          statuses.add(status);
        }
      });
    }
    expect([...statuses]).toEqual(expect.arrayContaining(['200', '400', '404']));
    const health = await fetch(`${server.url}/health`);
    expect(health.status).toBe(200);
    await health.text();
    expect(runtime.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await server.close();
  });
});

/** A request as bytes, then broken in one to three ways. */
function toWire(random: Random): Buffer {
  const { method, path, headers, body } = toNoise(random);
  const lines = Object.entries({ 'content-length': Buffer.byteLength(body ?? ''), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const text = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
  return random
    .list(3, () => random.pick(BREAKS))
    .reduce<Buffer>((bytes, how) => how(bytes, random), Buffer.from(text));
}

type Break = (bytes: Buffer, random: Random) => Buffer;

const replaced =
  (from: RegExp, to: string): Break =>
  (bytes) =>
    Buffer.from(
      bytes.toString('latin1').replace(from, () => to),
      'latin1',
    );

const BREAKS: readonly Break[] = [
  (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  (bytes, random) => {
    const flipped = Buffer.from(bytes);
    const at = random.below(flipped.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
    return flipped;
  },
  (bytes, random) => {
    const at = random.below(bytes.length);
    const inserted = Buffer.from(random.list(20, () => random.below(256)));
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  },
  (bytes) => Buffer.concat([bytes, bytes]),
  replaced(/content-length: [^\r]*/, 'content-length: 18446744073709551616'),
  replaced(/content-length: [^\r]*/, 'content-length: 5\r\ncontent-length: 6'),
  replaced(/content-length: [^\r]*/, 'transfer-encoding: chunked'),
  replaced(/content-length: [^\r]*/, 'content-length: 3\r\ntransfer-encoding: chunked'),
  replaced(/content-length: [^\r]*/, 'transfer-encoding: gzip, identity'),
  replaced(/HTTP\/1\.1/, 'HTTP/9.9'),
  replaced(/HTTP\/1\.1/, 'HTTP/1.0'),
  replaced(/^\S+/, 'CONNECT'),
  replaced(/^\S+/, 'PRI'),
  replaced(/^\S+ \S+/, 'POST http://[::1'),
  replaced(/^\S+ \S+/, 'OPTIONS *'),
  replaced(/\r\n/, '\n'),
  replaced(/\r\n\r\n/, `\r\nx-big: ${'y'.repeat(20_000)}\r\n\r\n`),
  replaced(/\r\n\r\n/, `${'\r\nx: y'.repeat(3_000)}\r\n\r\n`),
  replaced(/\r\n\r\n/, '\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  replaced(/\r\n\r\n/, '\r\nexpect: 100-continue\r\n\r\n'),
  replaced(/\r\n\r\n/, '\r\nexpect: nonsense\r\n\r\n'),
];

/** Everything that the server says before the connection is over. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.end(bytes);
  // `once` of events would reject where the server resets the connection
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}
