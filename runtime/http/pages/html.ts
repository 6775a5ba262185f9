/** Response headers of HTML pages. */
import type { ApiResponse } from '../../request/api-request.js';

/** @param policy value of the Content-Security-Policy header */
export const htmlHeaders = (policy: string): NonNullable<ApiResponse['headers']> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
});
