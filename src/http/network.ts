/**
 * The network of a client: its IPv4 address, or the /64 of its IPv6 address, which providers assign to one customer.
 *
 * @example toNetwork('2001:db8::1') // '2001:db8:0:0::/64'
 */
export function toNetwork(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const groups = tail === undefined ? before : [...before, ...zeros, ...after];
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase());
  return `${network.join(':')}::/64`;
}

/** The last address in `X-Forwarded-For`, which the nearest proxy wrote. Clients can forge the others. */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  const last = header?.split(',').at(-1)?.trim();
  const bare = last?.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  return bare === '' ? undefined : bare;
}
