import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { CASES } from './cases.ts';
import type { Session } from './clients.ts';
import { CALLERS, checkOwnAnswers } from './own-answers.ts';
import { PLATFORMS, type Running, SERVED, startNode } from './platforms.ts';
import { rawCall, sendCall } from './raw.ts';

/** How often the callers ask: once in `npm test`. */
const ROUNDS = Number(process.env.SVC_TEST_ROUNDS ?? 1);

let artefacts: Artefacts;
/** What each case returned first, and the bytes of each answer: every platform must agree. */
const outcomes = new Map<string, unknown>();
const answers = new Map<string, string>();

beforeAll(async () => {
  artefacts = await createArtefacts();
});
afterAll(() => artefacts.remove());

describe.each([...PLATFORMS, ...SERVED])('$name', (platform) => {
  let running: Running;

  beforeAll(async () => {
    const { target, engine, store } = platform;
    const out = target ? (await artefacts.get(target, engine, store)).out : artefacts.root;
    running = await platform.start(out);
  });
  afterAll(() => running.close());

  describe.each(platform.clients)('$name', (client) => {
    let session: Session;

    beforeAll(async () => {
      session = await client.connect(running.reach);
    });
    afterAll(() => session.close());

    test.each(CASES)('$name', async ({ name, run }) => {
      const outcome = await run(session, client);
      if (!outcomes.has(name)) outcomes.set(name, outcome);
      expect(outcome).toEqual(outcomes.get(name));
    });
  });

  test(`${CALLERS} callers at once each get their own answer`, { repeats: ROUNDS - 1 }, async () => {
    expect(await checkOwnAnswers(running.reach)).toEqual([]);
  });

  test('people and programs are told what it is', async ({ skip }) => {
    const { reach } = running;
    if (reach.kind === 'stdio') return skip();
    const page = await fetch(new URL('/', reach.url), { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<h1>matrix</h1>');
    const facts = await fetch(new URL('/', reach.url));
    expect(await facts.json()).toMatchObject({ name: 'matrix', tools: 8, mcp: { authentication: 'none' } });
  });

  test.each(['types', 'hello', 'nothing_here'])(
    'a call of %s answers the same bytes as everywhere',
    async (tool) => {
      const answer = await rawCall(running.reach, tool);
      expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0', id: 7 });
      const first = answers.get(tool) ?? answer;
      answers.set(tool, first);
      expect(answer).toBe(first);
    },
  );
});

test('a wrong server, which keeps answers across callers, is found', async () => {
  const { out } = await artefacts.get('node');
  const running = await startNode(out);
  if (running.reach.kind !== 'http') throw new Error('it does not serve over HTTP');
  const { url } = running.reach;
  const kept = new Map<string, Promise<string>>();
  const server = createServer(async (request, response) => {
    const { name, arguments: args } = JSON.parse(await text(request)).params;
    const key = JSON.stringify([name, args.id]);
    const answer = kept.get(key) ?? sendCall(url, { tool: name, args }).then((told) => told.text());
    kept.set(key, answer);
    response.end(await answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen on a port');
  const wrong = await checkOwnAnswers({ kind: 'http', url: new URL(`http://127.0.0.1:${address.port}/mcp`) });
  server.close();
  await running.close();
  // Two callers ask for the same thing, and one of them gets the answer of the other.
  expect(wrong.length).toBeGreaterThanOrEqual(CALLERS / 2);
});
