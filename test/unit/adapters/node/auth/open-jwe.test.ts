import { describe, expect, it } from 'vitest';
import { openJwe } from '../../../../../adapters/node/auth/open-jwe.ts';
import { call, createDesk, tokens } from '../../../auth/fixture.ts';

describe('opening on Node', () => {
  it('takes the tokens that WebCrypto made, and WebCrypto takes the same ones', async () => {
    const desk = createDesk();
    const same = createDesk({ idp: desk.idp, parts: { openJwe } });
    const { access_token } = await tokens(desk);
    const { access_token: other } = await tokens(same);
    for (const token of [access_token, other]) {
      expect((await call(desk, token)).status).toBe(200);
      expect((await call(same, token)).status).toBe(200);
    }
  });
});
