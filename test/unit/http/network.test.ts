import { describe, expect, it } from 'vitest';
import { forwardedAddress, toNetwork } from '../../../src/http/network.ts';

describe('toNetwork', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['unknown', 'unknown'],
  ])('%s is of %s', (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });

  it('is one for all addresses that a customer may take', () => {
    const networks = ['::1', ':ffff:0:1:2', ':1:0:0:0'].map((end) => toNetwork(`2001:db8:7:8${end}`));
    expect(new Set(networks)).toEqual(new Set(['2001:db8:7:8::/64']));
  });
});

describe('forwardedAddress', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['spoofed,198.51.100.2 , 203.0.113.9:51234', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('of %s is %s', (header, address) => {
    expect(forwardedAddress(header)).toBe(address);
  });

  it.each([null, undefined, '', '1.1.1.1,', ' '])('of %j is unknown', (header) => {
    expect(forwardedAddress(header)).toBeUndefined();
  });
});
