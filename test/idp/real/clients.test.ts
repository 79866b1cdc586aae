import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENTS, EXPIRE } from './clients/clients.ts';
import { type Keycloak, startKeycloak } from './keycloak.ts';
import { serve } from './served.ts';

/* The OAuth clients of other projects, at `svc serve` behind a real Keycloak. `npm run test:idp` installs them. */

const PARTS = process.env.SVC_TEST_IDP;
const SLOW = 240_000;

describe.skipIf(PARTS === undefined)('real OAuth clients', { timeout: SLOW }, () => {
  let keycloak: Keycloak;
  beforeAll(async () => {
    keycloak = await startKeycloak(PARTS ?? '');
  }, SLOW);
  afterAll(() => keycloak?.stop());

  it.each(CLIENTS)(
    '$name signs in, calls, refreshes, and shows refusals',
    async ({ run, missing, stepsUp }) => {
      const { mcp } = await serve(keycloak);
      const { texts, visits } = await run(mcp, 'ada', [
        ...['open', EXPIRE, 'open'],
        ...(stepsUp ? ['by_group'] : []),
      ]);
      const served = expect.stringContaining('ada@example.com');
      expect(texts).toEqual(Array(stepsUp ? 3 : 2).fill(served));
      // A refresh renews the token of Keycloak, which the tool shows.
      expect(texts[1]).not.toBe(texts[0]);
      // One sign-in, and one for the scope of the last tool.
      expect(visits).toBe(stepsUp ? 2 : 1);
      const denied = await run(mcp, 'bob', ['by_group']);
      expect(denied.texts).toEqual([expect.stringMatching(missing)]);
      const refused = await run(mcp, 'eve', ['open']);
      expect(refused.texts).toEqual([
        expect.stringMatching(/access_denied|may use this server|Access was denied/),
      ]);
    },
  );
});
