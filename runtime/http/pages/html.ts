/** Response headers of HTML pages. */
import { createHash } from 'node:crypto';
import type { ApiResponse } from '../../request/api-request.js';

/**
 * Returns the headers of an HTML page.
 * @param policy value of the Content-Security-Policy header
 */
export const htmlHeaders = (policy: string): NonNullable<ApiResponse['headers']> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
});

interface Inline {
  readonly style: string;
  readonly script: string | undefined;
}

/** Returns the Content-Security-Policy of a self-contained page: its own style and script, and calls to this server. */
export const inlinePolicy = ({ style, script }: Inline): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const hashOf = (content: string): string =>
  `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
