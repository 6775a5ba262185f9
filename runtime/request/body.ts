/** Request bodies: JSON, and nothing else. */
import { apiError, invalidPayload } from '../errors.js';
import type { ApiRequest } from './api-request.js';

/**
 * @param absent what an empty body means; without it, an empty body is refused
 * @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD, CONTENT_TOO_LARGE
 */
export const readJson = async (request: ApiRequest, absent?: unknown): Promise<unknown> => {
  const bytes = await request.body();
  if (bytes.length === 0) {
    if (absent !== undefined) return absent;
    throw invalidPayload('the body is empty; JSON is expected');
  }
  requireJson(request.headers['content-type']);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidPayload('the body is not valid JSON');
  }
};

const requireJson = (header: string | string[] | undefined): void => {
  const mediaType = String(header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return;
  throw apiError(
    'UNSUPPORTED_MEDIA_TYPE',
    { mediaType, where: 'Content-Type' },
    `the Content-Type "${mediaType}" is not read here; send application/json`,
  );
};
