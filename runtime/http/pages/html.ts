/** What every page of ours is sent with. */
import type { ApiResponse } from '../../request/api-request.js';

/** @param policy what the page may load, run and be framed by */
export const htmlHeaders = (policy: string): NonNullable<ApiResponse['headers']> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
});
