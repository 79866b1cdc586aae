import { isObject, type JsonObject } from '../../../src/json.ts';
import type { Address } from '../address.ts';
import { type Check, ok, problem } from '../check.ts';
import { type DoctorResponse, fetchForCheck, objectOf, responseText } from '../http.ts';

const OLDER = '2025-11-25';
const NEWER = '2026-07-28';
const META = 'io.modelcontextprotocol';
const CLIENT = { name: 'svc-doctor', version: '1' };

/** Checks both protocol eras with the first request of a client of each. */
export async function checkEras({ mcp }: Address): Promise<readonly Check[]> {
  const older = await initialize(mcp);
  if (older?.status === 401) {
    return [ok('protocol', 'the server requires a token, so its protocol cannot be checked')];
  }
  return [checkOlder(older), checkNewer(await discover(mcp))];
}

function checkOlder(answer: DoctorResponse | null): Check {
  const { protocolVersion } = resultOf(answer);
  if (protocolVersion === OLDER) return ok('era-2025', `initialize agrees on ${OLDER}`);
  const said = typeof protocolVersion === 'string' ? protocolVersion : responseText(answer);
  return problem('era-2025', `initialize of ${OLDER} is answered with ${said}`, PASS_ON);
}

function checkNewer(answer: DoctorResponse | null): Check {
  const { supportedVersions } = resultOf(answer);
  if (Array.isArray(supportedVersions) && supportedVersions.includes(NEWER)) {
    return ok('era-2026', `server/discover names ${supportedVersions.join(', ')}`);
  }
  return problem('era-2026', `server/discover of ${NEWER} is answered with ${responseText(answer)}`, PASS_ON);
}

const PASS_ON =
  'Check that this is the MCP endpoint of a server of this version, and that the proxy passes on POST with all headers (Mcp-Method, MCP-Protocol-Version).';

function initialize(mcp: string): Promise<DoctorResponse | null> {
  const params = { protocolVersion: OLDER, capabilities: {}, clientInfo: CLIENT };
  return post(mcp, { method: 'initialize', params }, {});
}

function discover(mcp: string): Promise<DoctorResponse | null> {
  const _meta = {
    [`${META}/protocolVersion`]: NEWER,
    [`${META}/clientCapabilities`]: {},
    [`${META}/clientInfo`]: CLIENT,
  };
  const headers = { 'mcp-protocol-version': NEWER, 'mcp-method': 'server/discover' };
  return post(mcp, { method: 'server/discover', params: { _meta } }, headers);
}

function post(
  url: string,
  message: JsonObject,
  more: Record<string, string>,
): Promise<DoctorResponse | null> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  };
  return fetchForCheck(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

/** The result in a JSON answer or in the one event of a stream; empty for any other answer. */
function resultOf(answer: DoctorResponse | null): JsonObject {
  const text = answer === null ? '' : (/^data: ?(\{.*)$/m.exec(answer.text)?.[1] ?? answer.text);
  const message = answer === null ? null : objectOf({ ...answer, text });
  const result = message?.result;
  return isObject(result) ? result : {};
}

/** Checks the preflight request that a browser sends before a page may call the server. */
export async function checkCors({ mcp, origin }: Address): Promise<Check> {
  const asked = 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name';
  const headers = {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': asked,
  };
  const answer = await fetchForCheck(mcp, { method: 'OPTIONS', headers });
  const told = (name: string) => answer?.headers.get(`access-control-${name}`)?.toLowerCase() ?? '';
  const lost = asked.split(', ').filter((name) => !told('allow-headers').includes(name));
  const allowed = [origin, '*'].includes(told('allow-origin'));
  const good = answer !== null && answer.status < 300 && allowed && told('allow-methods').includes('post');
  if (good && lost.length === 0) return ok('cors', 'the preflight of a browser is answered');
  const why = good ? `without ${lost.join(', ')}` : `with ${responseText(answer)}`;
  const fix =
    'Let the proxy pass on OPTIONS and the headers Access-Control-*, and check `transport.http.allowed_origins`.';
  return problem('cors', `the preflight of a browser is answered ${why}`, fix);
}
