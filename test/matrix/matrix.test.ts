import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { CASES } from './cases.ts';
import type { Session } from './clients.ts';
import { PLATFORMS, type Running, SERVED } from './platforms.ts';
import { rawCall } from './raw.ts';

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
    const { target, engine } = platform;
    running = await platform.start(target ? (await artefacts.get(target, engine)).out : artefacts.root);
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

  test('people and programs are told what it is', async ({ skip }) => {
    const { reach } = running;
    if (reach.kind === 'stdio') return skip();
    const page = await fetch(new URL('/', reach.url), { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('<h1>matrix</h1>');
    const facts = await fetch(new URL('/', reach.url));
    expect(await facts.json()).toMatchObject({ name: 'matrix', tools: 6, mcp: { authentication: 'none' } });
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
