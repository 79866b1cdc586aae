import { modern } from '../../mcp/fixture.ts';
import { Browser, login, REDIRECT, TOOLS } from '../fixture.ts';
import {
  type Family,
  judgeCall,
  judgeLogout,
  judgeRedeem,
  judgeRefresh,
  judgeRevoke,
  type RegisteredClient,
  Violation,
} from './model.ts';
import type { Move, Step, Thief } from './steps.ts';
import {
  createWorld,
  type Exchange,
  type Instance,
  Lost,
  type OpenShared,
  SCOPES,
  type World,
} from './world.ts';

/** How often each kind of answer came, so that nobody takes a server that refuses everything for a safe one. */
export type Counts = Record<string, number>;

/** A message that can be sent again as it is. */
interface Message {
  readonly name: string;
  readonly path: string;
  readonly init: RequestInit;
  readonly judge: (exchange: Exchange) => void;
}

/** A browser that somebody signs in with; it does one thing at a time. */
interface Person {
  readonly user: { readonly id: number; readonly login: string; readonly name: string; email: string };
  browser: Browser;
  families: Family[];
  busy: boolean;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Plays one history, and throws the first promise that it breaks. */
export async function play(open: OpenShared, steps: readonly Step[], counts: Counts): Promise<void> {
  const world = await createWorld(open);
  const player = createPlayer(world, counts);
  try {
    for (const step of steps) {
      await player.take(step);
      player.enforce();
    }
    await player.take({ kind: 'settle', gates: [], waits: true });
    player.enforce();
  } finally {
    await world.close();
  }
}

function createPlayer(world: World, counts: Counts) {
  const clients: RegisteredClient[] = [];
  const families: Family[] = [];
  const attempted = new Set<Family>();
  const codes = new Map<Family, Readonly<Record<string, string>>>();
  const messages: Message[] = [];
  const broken: unknown[] = [];
  const people = ['ada', 'bob', 'eve'].map((name, index) => newPerson(name, index));
  const at = (index: number): Instance => pick(world.instances, index);
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  /** Begins something that goes on while the history does. */
  const begin = async (work: () => Promise<void>): Promise<void> => {
    work().catch((thrown) => {
      if (thrown instanceof Lost) count('lost');
      else broken.push(thrown);
    });
    await world.gates.calm();
  };
  const deliver = (message: Message, instance: Instance) =>
    begin(async () => {
      const exchange = await world.send(instance, message.path, message.init);
      count(`${message.name} ${exchange.status}`);
      if (exchange.status >= 500 && exchange.status !== 503)
        throw new Violation(`${message.path} answered ${exchange.status}`);
      message.judge(exchange);
    });
  const send = (message: Message, instance: Instance) => {
    messages.push(message);
    return deliver(message, instance);
  };
  const form = (
    name: string,
    path: string,
    {
      fields,
      client,
    }: { readonly fields: Readonly<Record<string, string>>; readonly client: RegisteredClient },
    judge: Message['judge'],
  ): Message => {
    const secret = client.secret === null ? {} : { client_secret: client.secret };
    const body = new URLSearchParams({ ...fields, client_id: client.id, ...secret }).toString();
    return { name, path, init: { method: 'POST', headers: FORM, body }, judge };
  };
  /** The client, or another one for a thief. */
  const sender = (family: Family, thief: Thief): RegisteredClient | undefined =>
    thief === 'client' ? clients.find((client) => client !== family.client) : family.client;

  const actions: { readonly [kind in Move['kind']]: (move: Extract<Move, { kind: kind }>) => Promise<void> } =
    {
      register: ({ secret }) =>
        begin(async () => {
          const method = secret ? 'client_secret_post' : 'none';
          const body = JSON.stringify({
            redirect_uris: [REDIRECT],
            grant_types: ['authorization_code', 'refresh_token'],
            token_endpoint_auth_method: method,
            scope: SCOPES.join(' '),
          });
          const headers = { 'content-type': 'application/json' };
          const { json } = await world.send(at(0), '/register', { method: 'POST', headers, body });
          clients.push({ id: json.client_id ?? '', secret: json.client_secret ?? null });
          count('registered');
        }),
      login: ({ client: index, browser, scope, redeems, through }) =>
        begin(async () => {
          const person = pick(people, browser);
          const client = pick(clients, index);
          if (client === undefined || person.busy) return;
          person.busy = true;
          const family = await signIn(person, client, scope, through).finally(() => {
            person.busy = false;
          });
          if (family === null) return count('login refused');
          families.push(family);
          person.families.push(family);
          count('login');
          if (redeems) await redeem(family, 'none', through[0] ?? 0);
        }),
      redeem: async ({ family: index, again, at: instance, thief }) => {
        const family = fromEnd(again ? families : families.filter((one) => !attempted.has(one)), index);
        if (family) await redeem(family, thief, instance);
      },
      refresh: async ({ family: index, token: place, at: instance, scope, thief }) => {
        const family = fromEnd(families, index);
        const token = family && fromEnd(family.refreshTokens, place);
        const client = family && sender(family, thief);
        if (!token || !client) return;
        const asked = scope < 7 ? [] : scopesOf(scope - 6);
        const fields = { grant_type: 'refresh_token', refresh_token: token.text, scope: asked.join(' ') };
        const refresh = { family, token, asked, right: client === family.client };
        const message = form('refresh', '/token', { fields, client }, (exchange) =>
          judgeRefresh(world, refresh, exchange),
        );
        await send(message, at(instance));
      },
      call: async ({ family: index, token: place, at: instance, tool }) => {
        const family = fromEnd(families, index);
        const token = family && fromEnd(family.accessTokens, place);
        const { name, scopes = [] } = pick(TOOLS, tool) as { name: string; scopes?: readonly string[] };
        if (!token) return;
        await send(
          toCall(token.text, name, (exchange) => judgeCall(family, token, scopes, exchange)),
          at(instance),
        );
      },
      revoke: async ({ family: index, token: place, at: instance, thief }) => {
        const family = fromEnd(families, index);
        const tokens = family ? [...family.accessTokens, ...family.refreshTokens] : [];
        const token = fromEnd(tokens, place);
        const client = family && sender(family, thief);
        if (!token || !client) return;
        const right = client === family.client;
        const message = form('revoke', '/revoke', { fields: { token: token.text }, client }, (exchange) =>
          judgeRevoke(family, exchange, right),
        );
        await send(message, at(instance));
      },
      logout: async ({ browser, at: instance }) => {
        const person = pick(people, browser);
        if (person.busy || person.browser.cookies.size === 0) return;
        const cookie = [...person.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
        const ended = person.families.slice(-MAX_SESSIONS);
        Object.assign(person, newPerson(person.user.login, people.indexOf(person)), { user: person.user });
        const message = {
          name: 'logout',
          path: '/logout',
          init: { method: 'POST', headers: { cookie } },
          judge: (exchange: Exchange) => judgeLogout(ended, exchange),
        };
        await send(message, at(instance));
      },
      repeat: async ({ message: index, at: instance }) => {
        const message = fromEnd(messages, index);
        if (message) await deliver(message, at(instance));
      },
      open: async ({ gates }) => {
        for (const gate of gates) if (world.gates.waiting.length > 0) await world.gates.open(gate);
      },
      settle: async ({ gates }) => {
        for (const gate of gates) if (world.gates.waiting.length > 0) await world.gates.open(gate);
        for (let left = MOST_GATES; world.gates.waiting.length > 0; left -= 1) {
          if (left === 0)
            throw new Violation(`requests do not come to an end: ${world.gates.waiting[0]?.what}`);
          await world.gates.open(0);
        }
      },
      time: async ({ ms }) => world.pass(ms),
      skew: async ({ at: instance, ms }) => world.skew(at(instance), ms),
      kill: async ({ at: instance }) => world.kill(at(instance)),
      provider: async ({ away }) => {
        world.idp.broken = away ? () => new Response(null, { status: 503 }) : null;
      },
      promote: async ({ ada }) => {
        const email = ada ? 'ada@example.com' : 'ada@elsewhere.example';
        Object.assign(pick(people, 0).user, { email });
        world.idp.user = { ...pick(people, 0).user };
      },
    };

  async function redeem(family: Family, thief: Thief, instance: number): Promise<void> {
    const client = sender(family, thief);
    if (client === undefined) return;
    if (thief === 'none') attempted.add(family);
    const wrong = thief === 'verifier' ? { code_verifier: 'w'.repeat(43) } : {};
    const fields = { ...codes.get(family), ...wrong };
    const judge = (exchange: Exchange) => judgeRedeem(world, family, exchange, thief === 'none');
    await send(form('redeem', '/token', { fields, client }, judge), at(instance));
  }

  async function signIn(
    { user, browser }: Person,
    client: RegisteredClient,
    scope: number,
    through: readonly number[],
  ): Promise<Family | null> {
    let [turn, last]: [number, Exchange | null] = [0, null];
    const { desk } = pick(world.instances, 0).process;
    const facade = {
      ...desk,
      idp: {
        ...world.idp,
        authorize: (url: URL) => {
          world.idp.user = { ...user };
          return world.idp.authorize(url);
        },
      },
      fetch: async (path: string, init?: RequestInit) => {
        turn += 1;
        const { pathname, search } = new URL(path, desk.base);
        last = await world.send(at(through[turn] ?? turn), `${pathname}${search}`, init);
        return last.response;
      },
    };
    Object.assign(browser, { desk: facade });
    const asked = scopesOf(scope);
    const more = { scope: asked.length === 0 ? null : asked.join(' ') };
    const attempt = await login(facade, more, browser, client.id).catch(refusedLogin);
    if (attempt === null || attempt.code === '' || last === null) return null;
    const held = SCOPES.filter((one) => one === 'svc:access' || HELD[user.email]?.includes(one));
    const wanted = asked.length === 0 ? [...SCOPES] : asked;
    const family: Family = {
      client,
      scopes: wanted.filter((one) => held.includes(one as (typeof SCOPES)[number])),
      born: last,
      redeemed: 0,
      refreshTokens: [],
      accessTokens: [],
      dead: null,
    };
    const { client_id: _, ...fields } = attempt.fields;
    codes.set(family, fields);
    return family;
  }

  return {
    take: async (step: Step): Promise<void> => {
      await (actions[step.kind] as (move: Move) => Promise<void>)(step);
      if (step.waits) await actions.settle({ kind: 'settle', gates: [] });
    },
    enforce: () => {
      const [first] = broken;
      if (first !== undefined) throw first;
    },
  };
}

/** A login that ends on a page instead of a redirect. */
function refusedLogin(thrown: unknown): null {
  if (thrown instanceof Lost) throw thrown;
  const expected = thrown instanceof TypeError || (thrown as Error).message === 'the login went in circles';
  if (!expected) throw thrown;
  return null;
}

/** The scopes that people hold besides the basic one, as the grants of the world say. */
const HELD: { readonly [email: string]: readonly string[] } = {
  'ada@example.com': ['sales:read', 'audit:read'],
  'bob@example.com': ['sales:read'],
};

/** A browser remembers this many sign-ins. */
const MAX_SESSIONS = 20;
/** Far more than all requests of a history pass. */
const MOST_GATES = 50_000;

const scopesOf = (bits: number) => SCOPES.filter((_, index) => (bits >> index) & 1);

function newPerson(name: string, index: number): Person {
  const user = { id: 1_815 + index, login: name, name, email: `${name}@example.com` };
  return { user, browser: new Browser(null as never), families: [], busy: false };
}

function toCall(token: string, name: string, judge: Message['judge']): Message {
  const { body, headers } = modern('tools/call', { name, arguments: {} });
  const own = {
    'content-type': 'application/json',
    accept: 'application/json',
    authorization: `Bearer ${token}`,
  };
  const init = { method: 'POST', headers: { ...headers, ...own }, body: JSON.stringify(body) };
  return { name: `call ${name}`, path: '/mcp', init, judge };
}

const pick = <T>(from: readonly T[], index: number): T => from[index % from.length] as T;

const fromEnd = <T>(from: readonly T[], index: number): T | undefined =>
  from.length === 0 ? undefined : from[from.length - 1 - (index % from.length)];
