import { createHash, randomUUID } from 'node:crypto';

/** Somebody else's identity provider in this process: the shape of GitHub Apps, whose codes and refresh tokens count once. */
export interface Idp {
  readonly origin: string;
  readonly fetch: typeof fetch;
  /** Signs the person in and sends the browser back. */
  authorize(url: URL): Response;
  /** Requests so far, by path. */
  readonly asked: string[];
  /** Access tokens that were revoked. */
  readonly revoked: string[];
  /** Who signs in next. */
  user: { id: number; login: string; name: string; email: string };
  /** Seconds; null: tokens have no end. */
  expiresIn: number | null;
  /** What the next sign-in ends with. */
  error: string | null;
  /** What the token endpoint answers instead, while it is set. */
  broken: (() => Response) | null;
  /** Called before the token endpoint answers. */
  pause: (() => Promise<void>) | null;
}

const ORIGIN = 'https://idp.example';

interface Code {
  readonly challenge: string;
  readonly redirect: string;
  readonly user: Idp['user'];
}

export function createIdp(): Idp {
  const codes = new Map<string, Code>();
  const refreshes = new Map<string, Idp['user']>();
  const holders = new Map<string, Idp['user']>();
  const give = (user: Idp['user']) => {
    const [access, refresh] = [`ghu_${randomUUID()}`, `ghr_${randomUUID()}`];
    holders.set(access, user);
    refreshes.set(refresh, user);
    const expires = idp.expiresIn === null ? {} : { expires_in: idp.expiresIn, refresh_token: refresh };
    return Response.json({ access_token: access, token_type: 'bearer', scope: '', ...expires });
  };
  const token = async (form: URLSearchParams) => {
    await idp.pause?.();
    if (idp.broken !== null) return idp.broken();
    if (form.get('grant_type') === 'refresh_token') {
      const refresh = form.get('refresh_token') ?? '';
      const user = refreshes.get(refresh);
      refreshes.delete(refresh);
      return user
        ? give(idp.user.id === user.id ? idp.user : user)
        : Response.json({ error: 'bad_refresh_token' });
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const sound = code && code.challenge === challenge && code.redirect === form.get('redirect_uri');
    return sound ? give(code.user) : Response.json({ error: 'bad_verification_code' });
  };
  const api = (path: string, request: Request) => {
    const user = holders.get(/^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '');
    if (!user) return Response.json({ message: 'Bad credentials' }, { status: 401 });
    const { email, ...profile } = user;
    return Response.json(path.endsWith('/emails') ? [{ email, primary: true, verified: true }] : profile);
  };
  const idp: Idp = {
    origin: ORIGIN,
    asked: [],
    revoked: [],
    user: { id: 1815, login: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
    expiresIn: null,
    error: null,
    broken: null,
    pause: null,
    authorize: (url) => {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      if (idp.error !== null) back.searchParams.set('error', idp.error);
      else {
        const code = randomUUID();
        const challenge = url.searchParams.get('code_challenge') ?? '';
        codes.set(code, { challenge, redirect: url.searchParams.get('redirect_uri') ?? '', user: idp.user });
        back.searchParams.set('code', code);
      }
      return new Response(null, { status: 302, headers: { location: back.href } });
    },
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      idp.asked.push(pathname);
      if (pathname === '/token') return token(new URLSearchParams(await request.text()));
      if (request.method !== 'DELETE') return api(pathname, request);
      const { access_token }: { access_token: string } = JSON.parse(await request.text());
      idp.revoked.push(access_token);
      holders.delete(access_token);
      return new Response(null, { status: 204 });
    },
  };
  return idp;
}
