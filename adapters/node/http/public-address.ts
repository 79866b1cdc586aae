import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/**
 * The parts of global unicast (2000::/3) that are not public: tunnels, whose ends are hidden, and
 * documentation.
 */
const V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const inside = new BlockList();
for (const [address = '', bits] of V4.map((net) => net.split('/')))
  inside.addSubnet(address, Number(bits), 'ipv4');
for (const [address = '', bits] of V6.map((net) => net.split('/')))
  inside.addSubnet(address, Number(bits), 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/** Returns whether an address belongs to the public internet (IANA special-purpose registries). */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !inside.check(address, 'ipv4');
  return isIP(address) === 6 && global.check(address, 'ipv6') && !inside.check(address, 'ipv6');
}

/**
 * A `lookup` that returns public addresses only. The connection itself uses it, so a name cannot resolve to a
 * public address for a check and to a private one for the request.
 */
export const lookUpPublic: LookupFunction = (hostname, options, done) => {
  const all: LookupAllOptions = { ...options, all: true };
  lookUp(hostname, all, (error, addresses: LookupAddress[]) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return done(error ?? new Error('no address'), '', 0);
    if (!addresses.every(({ address }) => isPublicAddress(address))) {
      return done(new Error('the name resolves to an address that is not public'), '', 0);
    }
    if (options.all === true) return done(null, addresses);
    return done(null, first.address, first.family);
  });
};
