import type { Context } from 'hono';

/** The fields of a form request; a text says why it is none. */
export async function readForm(c: Context, allowed: readonly string[]): Promise<URLSearchParams | string> {
  if (c.req.header('content-type') !== 'application/x-www-form-urlencoded') return 'not a form';
  const fields = new URLSearchParams(await c.req.text());
  const names = [...fields.keys()];
  if (new Set(names).size !== names.length) return 'a parameter is there twice';
  const unknown = names.find((name) => !allowed.includes(name));
  return unknown === undefined ? fields : `unknown parameter ${unknown}`;
}

/** Credentials of HTTP Basic, form-decoded as RFC 6749, 2.3.1 wants. */
export function readBasic(c: Context): { readonly id: string; readonly secret: string } | null {
  const encoded = /^Basic (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const decode = (text: string) => new URLSearchParams(`x=${text}`).get('x') ?? '';
  return { id: decode(id), secret: decode(secret) };
}

/** The bearer token of a request. */
export function readBearer(c: Context): string {
  return /^Bearer (\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? '';
}
