/** What one client can be told apart by: an IPv4 address, or the /64 of an IPv6 address, which is one customer's. */
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

/** The address that the nearest proxy saw: the last entry of `X-Forwarded-For`, the only one no client can write. */
export function forwardedAddress(header: string | null | undefined): string | undefined {
  const last = header?.split(',').at(-1)?.trim();
  const bare = last?.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1');
  return bare === '' ? undefined : bare;
}
