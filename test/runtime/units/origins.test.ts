import { describe, expect, it } from 'vitest';
import { compileOrigins, normalizeOrigin } from '../../../runtime/network/origins.js';

describe('an origin', () => {
  it.each([
    ['https://shop.example', 'https://shop.example', true],
    ['HTTPS://Shop.Example:443', 'https://shop.example', true],
    ['https://shop.example', 'http://shop.example', false],
    ['https://shop.example', 'https://shop.example:8443', false],
    ['https://shop.example', 'https://shop.example.evil.example', false],
    ['https://shop.example', 'null', false],
    ['https://*.shop.example', 'https://de.shop.example', true],
    ['https://*.shop.example', 'https://a.de.shop.example', true],
    ['https://*.shop.example', 'https://shop.example', false],
    ['https://*.shop.example', 'https://.shop.example', false],
    ['https://*.shop.example', 'https://evilshop.example', false],
    ['https://*.shop.example', 'https://a.shop-example', false],
    ['https://*.shop.example', 'https://evil.example/.shop.example', false],
    ['https://*.shop.example', 'https://a.shop.example:81', false],
    ['http://localhost:*', 'http://localhost:5173', true],
    ['http://localhost:*', 'http://localhost', false],
    ['http://localhost:*', 'http://localhost:5173.evil.example', false],
    ['https://preview-*.shop.example:8443', 'https://preview-7.shop.example:8443', true],
    ['http://[::1]:3000', 'http://[::1]:3000', true],
    ['capacitor://localhost', 'capacitor://localhost', true],
  ])('listed as %s permits %s: %s', (listed, origin, isIn) => {
    expect(compileOrigins([normalizeOrigin(listed) ?? ''])(origin)).toBe(isIn);
  });
});
