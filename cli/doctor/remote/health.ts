import { once } from 'node:events';
import { connect } from 'node:tls';
import { messageOf } from '../../../src/errors.ts';
import type { Address } from '../address.ts';
import { type Check, ok, problem } from '../check.ts';
import { type DoctorResponse, fetchForCheck, objectOf, responseText } from '../http.ts';

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
export async function checkHealth({ base }: Address): Promise<readonly Check[]> {
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
  if (answer?.status === 200) return ok('ready', 'the database answers');
  const fix = 'See the log of the server: the database cannot be opened, or the server is stopping.';
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
