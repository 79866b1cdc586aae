import type { Address } from './address.ts';
import { type Check, ok } from './check.ts';
import { fetchForCheck } from './http.ts';
import { checkHealth, checkTransport } from './remote/health.ts';
import { checkCors, checkEras } from './remote/protocol.ts';
import { checkServed } from './sign-in/metadata.ts';

/** Checks a running server from the outside, without its configuration. */
export async function checkOutside(address: Address): Promise<readonly Check[]> {
  const [health, transport] = await Promise.all([checkHealth(address), checkTransport(address)]);
  // where nobody answers, or somebody else, the rest says nothing new
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
