/** Values of environment variables as text. */
import { expect, it } from 'vitest';
import { parseEndpoint, parseSecret } from '../../../runtime/config/formats.js';
import {
  parseDuration,
  parseList,
  parseNetworkTexts,
  parseProxies,
  parseShortDuration,
  parseSize,
} from '../../../runtime/config/values.js';

it.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['12h', 43_200_000],
  ['7d', 604_800_000],
  ['45', 45_000],
])('the duration %s is %i ms', (text, expected) => {
  expect(parseDuration(text)).toBe(expected);
});

it.each([
  ['1mb', 1_048_576],
  ['512 KB', 524_288],
  ['0.5gb', 536_870_912],
  ['100', 100],
])('the size %s is %i bytes', (text, expected) => {
  expect(parseSize(text)).toBe(expected);
});

it('reads a list without blanks and empty entries', () => {
  expect(parseList(' a, b,,c ')).toEqual(['a', 'b', 'c']);
});

it('a short duration may be as long as its maximum, and no longer', () => {
  expect(parseShortDuration(5_000)('5s')).toBe(5_000);
  expect(() => parseShortDuration(5_000)('5001ms')).toThrow('expected at most 5s');
});

it('each of several secrets has 32 bytes or more', () => {
  const [long, short] = ['a'.repeat(32), 'b'.repeat(31)];
  expect(parseSecret(`${long}, ${long}`)).toEqual([long, long]);
  expect(() => parseSecret(`${long}, ${short}`)).toThrow('expected at least 32 bytes');
  expect(() => parseSecret('')).toThrow('expected at least 32 bytes');
});

it.each([
  'https://id.example',
  'http://localhost:8080',
  'http://127.0.0.1',
  'http://127.8.0.1',
  'http://[::1]:80',
])('the endpoint %s may receive codes and tokens', (text) => {
  expect(parseEndpoint(text)).toBe(text);
});

it.each([
  'http://id.example',
  'http://localhost.example',
  'http://127.0.0.1.example',
  'ftp://localhost',
  'id',
])('the endpoint %s may not', (text) => {
  expect(() => parseEndpoint(text)).toThrow('expected https://…');
});

it('networks have a length, and addresses alone are none', () => {
  expect(parseNetworkTexts('10.0.0.0/8, fd00::/8')).toEqual(['10.0.0.0/8', 'fd00::/8']);
  expect(() => parseNetworkTexts('10.0.0.0/8, 10.0.0.1')).toThrow('has "10.0.0.1"; expected networks');
});

it.each([
  ['off', { hops: 0, ranges: [] }],
  ['2', { hops: 2, ranges: [] }],
  ['10.0.0.1, 10.0.0.0/8', { hops: 0, ranges: ['10.0.0.1', '10.0.0.0/8'] }],
])('the proxies %s are %j', (text, proxies) => {
  expect(parseProxies(text)).toEqual(proxies);
});

it.each(['', '100', '-1', 'proxy.example', '10.0.0.1, x'])('the proxies "%s" are refused', (text) => {
  expect(() => parseProxies(text)).toThrow('expected off, a number of proxies');
});
