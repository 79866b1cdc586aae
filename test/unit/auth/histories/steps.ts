import fc from 'fast-check';

/** One thing that a client, the network or the world does, and whether everybody waits for its end. */
export type Step = Move & { readonly waits: boolean };

/** Numbers choose among what there is. */
export type Move =
  | { readonly kind: 'register'; readonly secret: boolean }
  | {
      readonly kind: 'login';
      readonly client: number;
      readonly browser: number;
      readonly redeems: boolean;
      readonly scope: number;
      readonly through: readonly number[];
    }
  | {
      readonly kind: 'redeem';
      readonly family: number;
      readonly again: boolean;
      readonly at: number;
      readonly thief: Thief;
    }
  | {
      readonly kind: 'refresh';
      readonly family: number;
      readonly token: number;
      readonly at: number;
      readonly scope: number;
      readonly thief: Thief;
    }
  | {
      readonly kind: 'call';
      readonly family: number;
      readonly token: number;
      readonly at: number;
      readonly tool: number;
    }
  | {
      readonly kind: 'revoke';
      readonly family: number;
      readonly token: number;
      readonly at: number;
      readonly thief: Thief;
    }
  | { readonly kind: 'logout'; readonly browser: number; readonly at: number }
  | { readonly kind: 'repeat'; readonly message: number; readonly at: number }
  | { readonly kind: 'open'; readonly gates: readonly number[] }
  | { readonly kind: 'settle'; readonly gates: readonly number[] }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'skew'; readonly at: number; readonly ms: number }
  | { readonly kind: 'kill'; readonly at: number }
  | { readonly kind: 'provider'; readonly away: boolean }
  | { readonly kind: 'promote'; readonly ada: boolean };

/** Who uses what belongs to somebody else. */
export type Thief = 'none' | 'client' | 'verifier';

const waits = fc.oneof(
  { weight: 3, arbitrary: fc.constant(true) },
  { weight: 2, arbitrary: fc.constant(false) },
);
/** Whether a client redeems its code at once. */
const redeems = fc.nat({ max: 3 }).map((one) => one > 0);
const index = fc.nat({ max: 11 });
const instance = fc.nat({ max: 2 });
const thief: fc.Arbitrary<Thief> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Thief>('none') },
  { weight: 1, arbitrary: fc.constant<Thief>('client') },
  { weight: 1, arbitrary: fc.constant<Thief>('verifier') },
);
/** Mostly the newest of a list: numbers count from its end. */
const newest = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 2 }) }, { weight: 1, arbitrary: index });
const order = (maxLength: number) => fc.array(fc.nat({ max: 30 }), { maxLength });
const MOMENTS = [500, 5_000, 29_000, 31_000, 59_000, 61_000, 119_000, 121_000, 545_000, 605_000, 3_600_000];
const LONG = [86_400_000, 29 * 86_400_000, 31 * 86_400_000];

const of = <Kind extends Move['kind']>(
  weight: number,
  kind: Kind,
  parts: { readonly [key: string]: fc.Arbitrary<unknown> },
) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), waits, ...parts }) as unknown as fc.Arbitrary<Step>,
});

/** Clocks of a fleet mostly agree within seconds. */
const skew = fc
  .oneof(
    { weight: 3, arbitrary: fc.integer({ min: -14, max: 14 }) },
    { weight: 1, arbitrary: fc.integer({ min: -300, max: 300 }) },
  )
  .map((seconds) => seconds * 1_000);
const time = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...MOMENTS) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  of(1, 'register', { secret: fc.boolean() }),
  of(8, 'login', { client: index, browser: instance, scope: fc.nat({ max: 7 }), redeems, through: order(6) }),
  of(12, 'redeem', {
    family: newest,
    again: fc.nat({ max: 4 }).map((one) => one === 0),
    at: instance,
    thief,
  }),
  of(14, 'refresh', { family: newest, token: newest, at: instance, scope: fc.nat({ max: 9 }), thief }),
  of(8, 'call', { family: newest, token: newest, at: instance, tool: fc.nat({ max: 2 }) }),
  of(2, 'revoke', { family: newest, token: newest, at: instance, thief }),
  of(2, 'logout', { browser: instance, at: instance }),
  of(6, 'repeat', { message: newest, at: instance }),
  of(8, 'open', { gates: order(8) }),
  of(4, 'settle', { gates: order(20) }),
  of(4, 'time', { ms: time }),
  of(1, 'skew', { at: instance, ms: skew }),
  of(1, 'kill', { at: instance }),
  of(1, 'provider', { away: fc.nat({ max: 3 }).map((one) => one === 0) }),
  of(1, 'promote', { ada: fc.boolean() }),
);

/** Every history begins with a client and a sign-in. */
const PRELUDE: readonly Step[] = [
  { kind: 'register', secret: false, waits: true },
  { kind: 'login', client: 0, browser: 0, scope: 7, redeems: true, through: [], waits: true },
];

/** Histories of up to so many steps, which shrink to fewer. */
export const histories = (most: number): fc.Arbitrary<readonly Step[]> =>
  fc.array(step, { minLength: 1, maxLength: most, size: 'max' }).map((steps) => [...PRELUDE, ...steps]);
