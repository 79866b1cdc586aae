/** What AWS lets a function sign with; Lambda puts it into the environment. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** What a signature counts for. */
export interface SignScope {
  readonly credentials: Credentials;
  readonly region: string;
  readonly service: string;
  readonly now: Date;
}

/** A POST that is to be signed. */
export interface Unsigned {
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const encoder = new TextEncoder();

/** The headers of a POST with its signature (AWS Signature Version 4). */
export async function sign(request: Unsigned, scope: SignScope): Promise<Record<string, string>> {
  const { credentials, region, service } = scope;
  const time = scope.now.toISOString().replace(/[-:]|\.\d+/g, '');
  const date = time.slice(0, 8);
  const token = credentials.sessionToken;
  const headers = {
    ...request.headers,
    'x-amz-date': time,
    ...(token === null ? {} : { 'x-amz-security-token': token }),
  };
  const names = ['host', ...Object.keys(headers)].sort();
  const place = `${date}/${region}/${service}/aws4_request`;
  const canonical = await hash(await toCanonical(request, { ...headers, host: request.url.host }, names));
  const key = await keyFor(credentials.secretAccessKey, [date, region, service, 'aws4_request']);
  const signature = toHex(await hmac(key, `${ALGORITHM}\n${time}\n${place}\n${canonical}`));
  const authorization = `${ALGORITHM} Credential=${credentials.accessKeyId}/${place}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  // the client of HTTP sends `host` by itself
  return { ...headers, authorization };
}

async function toCanonical(
  { url, body }: Unsigned,
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Promise<string> {
  const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join('');
  return `POST\n${url.pathname}\n\n${lines}\n${names.join(';')}\n${await hash(body)}`;
}

async function hash(text: string): Promise<string> {
  return toHex(await crypto.subtle.digest('SHA-256', encoder.encode(text)));
}

async function keyFor(secret: string, steps: readonly string[]): Promise<BufferSource> {
  let key: BufferSource = encoder.encode(`AWS4${secret}`);
  for (const step of steps) key = await hmac(key, step);
  return key;
}

async function hmac(secret: BufferSource, text: string): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return crypto.subtle.sign('HMAC', key, encoder.encode(text));
}

function toHex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
