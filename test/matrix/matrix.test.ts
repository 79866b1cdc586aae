import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Artefacts, createArtefacts } from './artefacts.ts';
import { CASES } from './cases.ts';
import type { Session } from './clients.ts';
import { PLATFORMS, type Running, SERVED } from './platforms.ts';
import { rawCall } from './raw.ts';

// whole programs start here, on machines with little to spare
vi.setConfig({ testTimeout: 60_000 });

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
    const { target } = platform;
    running = await platform.start(target ? (await artefacts.get(target)).out : artefacts.root);
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
