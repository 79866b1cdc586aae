const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'svc-tags',
  'traceparent',
  'tracestate',
  'baggage',
]);

/** Answers a preflight. It checks the requested headers, because `Mcp-Param-*` headers have no fixed names. */
export function toPreflight(request: Request, methods: string): Response {
  const requested = request.headers.get('access-control-request-headers') ?? '';
  const names = requested.split(',').map((name) => name.trim().toLowerCase());
  const allowed = names.filter((name) => REQUEST_HEADERS.has(name) || /^mcp-param-[\w-]+$/.test(name));
  const headers = new Headers({
    'access-control-allow-methods': methods,
    'access-control-allow-headers': allowed.join(', '),
    'access-control-max-age': '86400',
    vary: 'Access-Control-Request-Headers',
  });
  return new Response(null, { status: 204, headers });
}

/** The headers that let a page of an allowed origin read a response. */
export function exposedTo(origin: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'WWW-Authenticate, Mcp-Session-Id, Retry-After, X-Request-Id',
    vary: 'Origin',
  };
}
