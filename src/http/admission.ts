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

/** Who sends a request. */
export interface Admitted {
  readonly user: User | null;
  /** Counts another request of the same client, where one holds several; throws rate_limited. */
  readonly countAnother: () => void;
}

/** Says who sends a request; throws SvcError for credentials that are not good and for clients that ask too often. */
export type Admit = (request: Request, address: string | undefined) => Promise<Admitted>;

/** The clients of one server, counted together whichever path they ask. */
export interface Admission {
  readonly admit: Admit;
  /** Counts a request of somebody who is not known yet, by the address alone; throws rate_limited. */
  readonly countAddress: (address: string | undefined) => void;
}

/** Counts requests by their user, or by the address where there is none: for nobody, and for failed logins. */
export function createAdmission({ authenticate, rateLimit }: AdmissionOptions): Admission {
  const throttle = rateLimit ? followLimit(rateLimit) : () => {};
  const countAddress = (address: string | undefined): void => {
    // Nothing tells clients without an address apart, and one must not stop all others.
    if (address !== undefined) throttle(`address ${toNetwork(address)}`);
  };
  const admit: Admit = async (request, address) => {
    const user = await authenticate?.(request).catch((thrown) => {
      countAddress(address);
      throw thrown;
    });
    const count = () => {
      if (user) throttle(`user ${user.provider ?? ''} ${user.id}`);
      else countAddress(address);
    };
    count();
    return { user: user ?? null, countAnother: count };
  };
  return { admit, countAddress };
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
