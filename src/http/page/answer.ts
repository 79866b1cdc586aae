import { type About, toHtml } from './html.ts';
import { STYLE } from './style.ts';

/** `GET /`: a page for browsers, the same facts as JSON for programs. */
export async function toLandingResponse(request: Request, about: About): Promise<Response> {
  const headers = {
    vary: 'Accept',
    // The address in it is the one that was asked for, which no cache may tell to somebody else.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  if (!wantsHtml(request.headers.get('accept'))) return Response.json(toJson(about), { headers });
  const policy = `default-src 'none'; style-src '${await hashOf(STYLE)}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return new Response(toHtml(about), {
    headers: {
      ...headers,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    },
  });
}

function wantsHtml(accept: string | null): boolean {
  return /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept ?? '');
}

function toJson({ project, version, url, login, tools, resources, prompts }: About) {
  const mcp = { url, transport: 'streamable-http', authentication: login ? 'oauth' : 'none' };
  return { name: project, version, mcp, tools, resources, prompts };
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
