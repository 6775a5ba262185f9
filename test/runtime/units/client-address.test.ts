import { describe, expect, it } from 'vitest';
import { normalizeAddress } from '../../../runtime/network/ip.js';
import { createProxies } from '../../../runtime/http/client-address.js';

const from = (remoteAddress: string, forwarded?: string, proto?: string) => ({
  remoteAddress,
  headers: {
    ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    ...(proto !== undefined && { 'x-forwarded-proto': proto }),
  },
});

describe('the connection of a caller', () => {
  it.each([
    ['no proxy is trusted', 0, [], from('9.9.9.9', '1.1.1.1'), '9.9.9.9'],
    ['one proxy', 1, [], from('9.9.9.9', '1.1.1.1, 2.2.2.2'), '2.2.2.2'],
    ['two proxies', 2, [], from('9.9.9.9', '1.1.1.1, 2.2.2.2'), '1.1.1.1'],
    ['more hops than entries', 5, [], from('9.9.9.9', '1.1.1.1'), '1.1.1.1'],
    ['a proxy that says nothing', 1, [], from('9.9.9.9'), '9.9.9.9'],
    ['a proxy that says nonsense', 1, [], from('9.9.9.9', 'unknown'), '9.9.9.9'],
    ['a trusted range', 0, ['10.0.0.0/8'], from('10.1.1.1', '1.1.1.1, 10.2.2.2'), '1.1.1.1'],
    ['a peer outside the range', 0, ['10.0.0.0/8'], from('9.9.9.9', '1.1.1.1'), '9.9.9.9'],
    [
      'a forged entry before the first stranger',
      0,
      ['10.0.0.0/8'],
      from('10.1.1.1', '10.9.9.9, 1.1.1.1'),
      '1.1.1.1',
    ],
    ['a mapped peer', 0, ['10.0.0.0/8'], from('::ffff:10.1.1.1', '::1'), '::1'],
    ['an address with a port', 1, [], from('9.9.9.9', '[2001:db8::1]:443'), '2001:db8::1'],
  ] as const)('has the address that trusted proxies report: %s', (_, hops, ranges, connection, address) => {
    expect(createProxies({ hops, ranges }).addressOf(connection)).toBe(address);
  });

  it('is secure by X-Forwarded-Proto of trusted proxies only', () => {
    const connection = from('9.9.9.9', '1.1.1.1', 'https');
    expect(createProxies({ hops: 1, ranges: [] }).isSecure(connection)).toBe(true);
    expect(createProxies({ hops: 0, ranges: [] }).isSecure(connection)).toBe(false);
  });
});

it.each([
  ['::FFFF:1.2.3.4', '1.2.3.4'],
  ['1.2.3.4:80', '1.2.3.4'],
  ['fe80::1%eth0', 'fe80::1'],
  ['::ffff:a00:1', '10.0.0.1'],
  ['0:0:0:0:0:ffff:10.0.0.1', '10.0.0.1'],
  ['0000:0::FFFF:0A00:0001', '10.0.0.1'],
  ['::a00:1', '::a00:1'],
  ['2001:DB8:0:0:0:0:0:01', '2001:db8::1'],
  ['::ffff:1.2.3', null],
  ['0177.0.0.1', null],
  ['', null],
])('%j normalizes to %j', (text, address) => {
  expect(normalizeAddress(text)).toBe(address);
});
