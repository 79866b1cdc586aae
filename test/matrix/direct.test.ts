import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BothWays, startBothWays } from './both-ways.ts';
import { CASES } from './cases.ts';
import { CLIENTS, type Session } from './clients.ts';
import { createProject } from './fixture.ts';

let root: string;
let running: BothWays;

beforeAll(async () => {
  root = await createProject();
  running = await startBothWays(root, 'data/matrix.duckdb');
});
afterAll(async () => {
  await running.close();
  await rm(root, { recursive: true });
});

describe.each(CLIENTS)('the direct path and the SDK, with $name', (client) => {
  let session: Session;

  beforeAll(async () => {
    session = await client.connect(running.reach);
  });
  afterAll(() => session.close());

  test.each(CASES)('answer alike: $name', async ({ run }) => {
    await run(session, client);
    expect(running.differences).toEqual([]);
  });
});

test('the calls of the cases took the direct path', () => {
  expect(running.compared()).toBeGreaterThan(2 * CLIENTS.length * CASES.length);
});
