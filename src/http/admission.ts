import type { User } from '../context.ts';
import { toNetwork } from './network.ts';
import { createThrottle, type RateLimit, type Throttle } from './throttle.ts';

/** Who may ask, and how often. */
export interface AdmissionOptions {
  /** Who sends a request; null: nobody in particular. Throws SvcError for credentials that are not good. */
  readonly authenticate?: (request: Request) => Promise<User | null>;
  /** Asked for each request; null: as often as anybody likes. */
  readonly rateLimit?: () => RateLimit | null;
}

/** Says who sends a request; throws SvcError for credentials that are not good and for clients that ask too often. */
export type Admit = (request: Request, address: string | undefined) => Promise<User | null>;

/** Counts requests by their user, or by the address where there is none: for nobody, and for failed logins. */
export function createAdmission({ authenticate, rateLimit }: AdmissionOptions): Admit {
  const throttle = rateLimit ? followLimit(rateLimit) : () => {};
  const count = (user: User | null, address: string | undefined): void => {
    if (user !== null) throttle(`user ${user.provider ?? ''} ${user.id}`);
    // Nothing tells such clients apart, and one must not stop all others.
    else if (address !== undefined) throttle(`address ${toNetwork(address)}`);
  };
  return async (request, address) => {
    if (authenticate === undefined) {
      count(null, address);
      return null;
    }
    const user = await authenticate(request).catch((thrown) => {
      count(null, address);
      throw thrown;
    });
    count(user, address);
    return user;
  };
}

/** Counts anew when the limit is another. */
function followLimit(rateLimit: () => RateLimit | null): Throttle {
  let held: { readonly limit: RateLimit; readonly throttle: Throttle } | null = null;
  return (client) => {
    const limit = rateLimit();
    if (limit === null) return;
    if (held?.limit !== limit) held = { limit, throttle: createThrottle(limit) };
    held.throttle(client);
  };
}
