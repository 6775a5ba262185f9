/** Reads JSON request bodies. */
import { apiError, invalidPayload } from '../../contract/errors.js';
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
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) throw invalidPayload(`the body is nested deeper than ${maxJsonLevels} levels`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidPayload('the body is not valid JSON');
  }
};

const requireJson = (header: string | string[] | undefined): void => {
  const mediaType =
    String(header ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return;
  throw apiError(
    'UNSUPPORTED_MEDIA_TYPE',
    { mediaType, where: 'Content-Type' },
    `the Content-Type "${mediaType}" is not read here; send application/json`,
  );
};

/** Far beyond any item, and far below what exhausts the stack of whoever walks through it. */
export const maxJsonLevels = 500;

const [quote, backslash] = [0x22, 0x5c];
/** Brackets and braces differ in one bit. */
const [opening, closing, either] = [0x7b, 0x7d, 0x20];

/** Counts brackets outside of texts; small ones cannot hold so many. */
export const isTooDeep = (json: string): boolean => {
  if (json.length <= 2 * maxJsonLevels) return false;
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === backslash) at += 1;
    else if (code === quote) inText = !inText;
    else if (!inText && (code | either) === opening && (depth += 1) > maxJsonLevels) return true;
    else if (!inText && (code | either) === closing) depth -= 1;
  }
  return false;
};
