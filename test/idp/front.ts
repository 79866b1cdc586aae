import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import type { Desk } from './desk.ts';

/** A client as it is registered at a server. */
export interface Registered {
  readonly id: string;
  readonly secret: string;
  /** Added to once the addresses are known. */
  readonly redirects: string[];
}

/** The page that people see at a server. */
export interface Front {
  readonly name: string;
  readonly path: string;
  readonly client: Registered;
  readonly users: readonly string[];
  /** Every parameter that the vendor documents. */
  readonly allowed: readonly string[];
  readonly required: readonly string[];
  /** What the vendor wants beside that; a text is shown as an error page. */
  readonly check?: (query: URLSearchParams) => string | null;
  /** How the vendor names a redirect address that is not registered: on a page, or back at a registered one. */
  readonly mismatch: 'page' | 'callback';
  readonly offline: (query: URLSearchParams) => boolean;
  readonly desk: Desk;
}

/** Login page, consent page with a box for each scope, and back to the client. */
export function mountFront(app: Hono, front: Front): void {
  app.get(front.path, (c) => show(c, front, new URL(c.req.url).searchParams));
  app.post(`${front.path}/login`, async (c) => {
    const form = await c.req.formData();
    const user = String(form.get('username'));
    if (!front.users.includes(user) || form.get('password') !== 'secret')
      return c.text('wrong password', 401);
    setCookie(c, `${front.name}-session`, user, { httpOnly: true, sameSite: 'Lax', path: front.path });
    return c.redirect(`${front.path}?${form.get('query')}`, 303);
  });
  app.post(`${front.path}/consent`, async (c) => {
    const form = await c.req.formData();
    const query = new URLSearchParams(String(form.get('query')));
    const user = getCookie(c, `${front.name}-session`);
    const wrong = user === undefined ? 'not logged in' : problemOf(front, query);
    if (user === undefined || wrong !== null) return c.text(wrong ?? '', 400);
    const back = new URL(query.get('redirect_uri') ?? '');
    if (form.get('decision') === 'allow') back.searchParams.set('code', issue(front, user, query, form));
    else back.searchParams.set('error', 'access_denied');
    back.searchParams.set('state', query.get('state') ?? '');
    return c.redirect(back.href, 302);
  });
}

function issue({ desk, offline }: Front, user: string, query: URLSearchParams, form: FormData): string {
  return desk.code({
    user,
    scopes: form.getAll('scope').map(String),
    redirectUri: query.get('redirect_uri') ?? '',
    challenge: query.get('code_challenge'),
    nonce: query.get('nonce'),
    offline: offline(query),
  });
}

function show(c: Context, front: Front, query: URLSearchParams) {
  const wrong = problemOf(front, query);
  if (wrong === 'redirect_uri_mismatch' && front.mismatch === 'callback') {
    const back = new URL(front.client.redirects[0] ?? 'http://nobody.invalid');
    back.searchParams.set('error', wrong);
    return c.redirect(back.href, 302);
  }
  if (wrong !== null) return c.text(wrong, 400);
  const user = getCookie(c, `${front.name}-session`);
  const login = html`<form method="post" action="${front.path}/login">
    <input type="hidden" name="query" value="${query.toString()}"><input name="username"><input type="password" name="password">
    <button>Sign in to ${front.name}</button></form>`;
  const scopes = (query.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
  const consent = html`<form method="post" action="${front.path}/consent">
    <input type="hidden" name="query" value="${query.toString()}">
    ${scopes.map((scope) => html`<input type="checkbox" name="scope" value="${scope}" checked>${scope}`)}
    <button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>`;
  return c.html(html`<!doctype html><title>${front.name}</title>${user === undefined ? login : consent}`);
}

/** Strict where vendors are lenient too: what is not documented is refused, so that no parameter is sent by mistake. */
function problemOf({ client, allowed, required, check }: Front, query: URLSearchParams): string | null {
  const names = [...query.keys()];
  const unknown = names.find((name) => !allowed.includes(name) && !required.includes(name));
  if (unknown !== undefined) return `unknown parameter ${unknown}`;
  if (new Set(names).size !== names.length) return 'a parameter is there twice';
  const missing = required.find((name) => !query.get(name));
  if (missing !== undefined) return `missing parameter ${missing}`;
  if (query.get('client_id') !== client.id) return 'invalid client_id';
  if (query.has('code_challenge') && !/^[\w-]{43}$/.test(query.get('code_challenge') ?? ''))
    return 'bad challenge';
  if (query.has('code_challenge') && query.get('code_challenge_method') !== 'S256') return 'S256 only';
  if (!client.redirects.includes(query.get('redirect_uri') ?? '')) return 'redirect_uri_mismatch';
  return check?.(query) ?? null;
}
