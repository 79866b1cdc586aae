import type { HttpEvent } from '../../../../adapters/aws-lambda/event.ts';

const FUNCTION_URL = 'abc123.lambda-url.eu-central-1.on.aws';

/** A Function URL event as Lambda makes it, with the parts a test cares about. */
export function functionUrlEvent(parts: Partial<HttpEvent> & { readonly method?: string } = {}): HttpEvent {
  const { method = 'POST', ...event } = parts;
  return {
    rawPath: '/mcp',
    rawQueryString: '',
    headers: { host: FUNCTION_URL, 'content-type': 'application/json' },
    requestContext: { domainName: FUNCTION_URL, requestId: 'url-1', stage: '$default', http: { method } },
    ...event,
  };
}

/** An API Gateway v2 event on a named stage. */
export function gatewayEvent(parts: Partial<HttpEvent> & { readonly method?: string } = {}): HttpEvent {
  const domainName = 'abc123.execute-api.eu-central-1.amazonaws.com';
  const { method = 'POST', ...event } = parts;
  return {
    rawPath: '/prod/mcp',
    headers: { host: domainName },
    requestContext: { domainName, requestId: 'gateway-1', stage: 'prod', http: { method } },
    ...event,
  };
}
