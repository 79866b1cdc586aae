import { once } from 'node:events';
import { connect } from 'node:tls';
import { messageOf } from '../../src/errors.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import type { Address } from './address.ts';
import {
  type Check,
  type DoctorResponse,
  fetchForCheck,
  objectOf,
  ok,
  problem,
  responseText,
} from './check.ts';
import { checkServed } from './sign-in/metadata.ts';

/** Checks a running server from the outside, without its configuration. */
export async function checkOutside(address: Address): Promise<readonly Check[]> {
  const [health, transport] = await Promise.all([checkHealth(address), checkTransport(address)]);
  // without an svc server, the other checks would only repeat that
  if (health.length === 1) return [transport, ...health];
  const [eras, cors] = await Promise.all([checkEras(address), checkCors(address)]);
  return [transport, ...health, ...eras, cors, ...(await checkSignIn(address))];
}

/** Checks the metadata of RFC 9728 and RFC 8414, if the server asks for a sign-in. */
async function checkSignIn(address: Address): Promise<readonly Check[]> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await fetchForCheck(address.mcp, { method: 'POST', headers, body: '{}' });
  if (answer?.status === 401) return (await checkServed(address, null)).checks;
  return [ok('sign-in', 'the server requires no sign-in: anybody may call it')];
}

/** Milliseconds that sealed tokens allow clocks to differ. */
const MAX_SKEW_MS = 30_000;
/** The header `date` has whole seconds, which servers may renew once a second, so a smaller difference means nothing. */
const DATE_STEP_MS = 2_000;
const DAY_MS = 86_400_000;
/** Renewed automatically, certificates are usually renewed 30 days before they expire. */
const LEAST_DAYS = 14;
const TIMEOUT_MS = 10_000;

/** Checks that the connection is encrypted, and the certificate. */
export async function checkTransport({ base, origin }: Address): Promise<Check> {
  const { protocol, hostname, port } = new URL(origin);
  if (protocol === 'https:') return checkCertificate(hostname, port === '' ? 443 : Number(port));
  if (/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    return ok('tls', 'plain http, on this machine only');
  const fix =
    'Put a proxy with a certificate in front of the server, and set `transport.http.base_url` to its https address.';
  return problem('tls', `${base} is plain http: others can read tokens and data on the way`, fix);
}

async function checkCertificate(host: string, port: number): Promise<Check> {
  const name = host.replace(/^\[|\]$/g, '');
  const socket = connect({
    host: name,
    port,
    servername: name,
    rejectUnauthorized: false,
    timeout: TIMEOUT_MS,
  });
  try {
    socket.once('timeout', () => socket.destroy(new Error('no answer')));
    await once(socket, 'secureConnect');
    const wrong = socket.authorized ? null : String(socket.authorizationError);
    return toCertificateCheck(wrong, Date.parse(socket.getPeerCertificate().valid_to));
  } catch (thrown) {
    const reason = messageOf(thrown);
    return problem('tls', `no TLS connection: ${reason}`, 'Check the address, and that it serves TLS.');
  } finally {
    socket.destroy();
  }
}

function toCertificateCheck(wrong: string | null, until: number): Check {
  const days = Math.floor((until - Date.now()) / DAY_MS);
  const fix = 'Renew the certificate, with its chain, for the name that clients use.';
  if (wrong !== null) return problem('tls', `clients reject the certificate: ${wrong}`, fix);
  if (days < LEAST_DAYS) return problem('tls', `the certificate expires in ${days} days`, fix);
  return ok('tls', `the certificate is valid for ${days} days`);
}

/** Checks `/health` and `/ready`: version, readiness and clock. */
async function checkHealth({ base }: Address): Promise<readonly Check[]> {
  const [health, ready] = await Promise.all(
    ['health', 'ready'].map((path) => fetchForCheck(`${base}/${path}`)),
  );
  const { version, hash } = objectOf(health ?? null) ?? {};
  if (typeof version !== 'string' || typeof hash !== 'string') return [noHealth(base, health ?? null)];
  const lives = ok('health', `svc ${version}, content ${hash.slice(0, 12)}`);
  return [lives, checkReady(ready ?? null), ...checkSkew(health ?? null)];
}

function noHealth(base: string, answer: DoctorResponse | null): Check {
  if (answer === null) {
    const fix = 'Start the server, or correct the address.';
    return problem('health', `there is no answer at ${base}`, fix);
  }
  const fix = 'Check that this is the address of the server, and that the proxy passes on /health.';
  return problem('health', `${base}/health answers ${responseText(answer)}, so it is not an svc server`, fix);
}

function checkReady(answer: DoctorResponse | null): Check {
  if (answer?.status === 200) return ok('ready', 'the server takes calls');
  const fix =
    'See the log of the server: the database cannot be opened, calls cannot be recorded, or it is stopping.';
  return problem('ready', `/ready answers ${responseText(answer)}`, fix);
}

function checkSkew(answer: DoctorResponse | null): readonly Check[] {
  const ahead = answer?.ahead ?? null;
  if (ahead === null) return [];
  if (Math.abs(ahead) < DATE_STEP_MS) return [ok('clock', "its clock agrees with this machine's")];
  const told = `${(Math.abs(ahead) / 1000).toFixed(0)} s ${ahead < 0 ? 'behind' : 'ahead of'} this machine's`;
  if (Math.abs(ahead) <= MAX_SKEW_MS) return [ok('clock', `its clock is ${told}`)];
  return [problem('clock', `its clock is ${told}`, 'Synchronise the clocks of both machines by NTP.')];
}

const OLDER = '2025-11-25';
const NEWER = '2026-07-28';
const META = 'io.modelcontextprotocol';
const CLIENT = { name: 'svc-doctor', version: '1' };

/** Checks both protocol eras with the first request of a client of each. */
async function checkEras({ mcp }: Address): Promise<readonly Check[]> {
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
async function checkCors({ mcp, origin }: Address): Promise<Check> {
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
