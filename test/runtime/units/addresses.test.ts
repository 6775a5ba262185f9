import { describe, expect, it } from 'vitest';
import { createAddressList } from '../../../runtime/access/addresses.js';
import { networkOf, parseNetwork } from '../../../runtime/network/ip.js';

describe('a network', () => {
  it.each([
    ['10.0.0.1', { address: '10.0.0.1', family: 'ipv4', bits: 32 }],
    [' 10.0.0.0/8 ', { address: '10.0.0.0', family: 'ipv4', bits: 8 }],
    ['::1', { address: '::1', family: 'ipv6', bits: 128 }],
    ['::ffff:10.0.0.1', { address: '10.0.0.1', family: 'ipv4', bits: 32 }],
    ['::ffff:10.0.0.0/104', { address: '10.0.0.0', family: 'ipv4', bits: 8 }],
    ['::ffff:a00:1', { address: '10.0.0.1', family: 'ipv4', bits: 32 }],
    ['::10.0.0.1', { address: '::a00:1', family: 'ipv6', bits: 128 }],
    ['::ffff:0:0/96', { address: '0.0.0.0', family: 'ipv4', bits: 0 }],
  ])('is parsed from %s', (text, network) => {
    const [address, bits] = parseNetwork(text) ?? [];
    expect({ address: address?.toString(), family: address?.kind(), bits }).toEqual(network);
  });

  it.each([
    '',
    'x',
    '10.0.0.1/',
    '10.0.0.1/8/8',
    '10.0.0.1/-1',
    '10.0.0.1:80',
    '[::1]',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/8',
  ])('%j is invalid', (text) => {
    expect(parseNetwork(text)).toBeNull();
  });
});

describe('a list of networks', () => {
  it('permits all addresses if it is empty, none if it contains no valid network', () => {
    expect(createAddressList([])).toBeNull();
    expect(createAddressList(['', ' '])).toBeNull();
    expect(createAddressList(['x'])?.has('10.0.0.1')).toBe(false);
  });

  it('does not contain an unknown address', () => {
    expect(createAddressList(['0.0.0.0/0', '::/0'])?.has('')).toBe(false);
  });
});

it.each([
  ['10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['1::2:3:4:5:6', '1:0:0:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['', ''],
])('%j is limited as %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
