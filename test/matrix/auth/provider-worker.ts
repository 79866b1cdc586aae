import { createProvider } from '../../../src/auth/providers/registry.ts';
import type { LoginAttempt } from '../../../src/auth/upstream/provider.ts';
import { toSvcError } from '../../../src/errors.ts';
import type { ProviderBlock } from '../../../src/settings/model.ts';

/** What the Worker is asked: a code to exchange at a provider. */
export interface Errand {
  readonly block: ProviderBlock;
  readonly code: string;
  readonly trip: LoginAttempt;
  readonly timeoutMs: number;
}

const worker = {
  async fetch(request: Request): Promise<Response> {
    const { block, code, trip, timeoutMs } = (await request.json()) as Errand;
    const provider = createProvider(block, { fetch, now: Date.now, timeoutMs });
    try {
      if (code === '') return Response.json({ url: (await provider.authorizationUrl(trip)).href });
      const tokens = await provider.exchange(code, trip, request.signal);
      return Response.json({ identity: await provider.identify(tokens, trip.nonce, request.signal) });
    } catch (thrown) {
      const { code: failure, message } = toSvcError(thrown);
      return Response.json({ failure, message });
    }
  },
};

// biome-ignore lint/style/noDefaultExport: workerd takes a module's default export
export default worker;
