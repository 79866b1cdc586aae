/** What a Function URL or API Gateway turns into the HTTP response head; also the streaming prelude. */
export interface HttpHead {
  readonly statusCode: number;
  readonly headers: { readonly [name: string]: string };
  readonly cookies: readonly string[];
}

/** The whole response as one payload (format 2.0). */
export interface HttpResult extends HttpHead {
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The head of a web Response in Lambda's form: cookies apart, repeated headers joined. */
export function toHead(response: Response): HttpHead {
  const headers: Record<string, string> = {};
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') headers[name] = value;
  }
  return { statusCode: response.status, headers, cookies: response.headers.getSetCookie() };
}

/** The whole web Response as one payload; base64 where the body is not text. */
export async function toLambdaResult(response: Response): Promise<HttpResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBase64Encoded = !isText(response.headers);
  return { ...toHead(response), body: bytes.toString(isBase64Encoded ? 'base64' : 'utf8'), isBase64Encoded };
}

function isText(headers: Headers): boolean {
  if (/[^\s]/.test(headers.get('content-encoding')?.replace('identity', '') ?? '')) return false;
  const type = headers.get('content-type') ?? '';
  return (
    type === '' ||
    /^text\/|^application\/(?:json|xml|javascript|yaml)\b|^[\w.-]+\/[\w.-]+\+(?:json|xml)\b/i.test(type)
  );
}
