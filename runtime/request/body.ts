/** Reads JSON request bodies, and limits the nesting and the characters of JSON text. */
import { isUtf8 } from 'node:buffer';
import { apiError, invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';

/**
 * Reads and parses a JSON body.
 * @param absent the value of an empty body; without it, an empty body is rejected
 * @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD, CONTENT_TOO_LARGE
 */
export const readJson = async (request: ApiRequest, absent?: unknown): Promise<unknown> => {
  const bytes = await request.body();
  if (bytes.length === 0) {
    if (absent !== undefined) return absent;
    throw invalidPayload('the body is empty; JSON is expected');
  }
  requireJson(request.headers['content-type']);
  if (!isUtf8(bytes)) throw invalidPayload('the body is not valid UTF-8');
  const text = bytes.toString('utf8');
  if (isTooDeep(text)) throw invalidPayload(`the body is nested deeper than ${maxJsonLevels} levels`);
  if (hasLoneSurrogate(text)) throw invalidPayload(`the body has ${loneSurrogate}`);
  try {
    return JSON.parse(text);
  } catch {
    throw invalidPayload('the body is not valid JSON');
  }
};

const requireJson = (header: string | string[] | undefined): void => {
  if (header === 'application/json') return;
  const mediaType =
    String(header ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return;
  throw apiError(
    'UNSUPPORTED_MEDIA_TYPE',
    { mediaType, where: 'Content-Type' },
    `the Content-Type "${mediaType}" is not supported; send application/json`,
  );
};

/** Maximum nesting of JSON: far more than any item needs, and few enough for recursive functions. */
export const maxJsonLevels = 500;

const [quote, backslash] = [0x22, 0x5c];
/** `[` and `{`, and `]` and `}`, differ in the bit `either` alone. */
const [opening, closing, either] = [0x7b, 0x7d, 0x20];

/**
 * Returns whether JSON text is nested too deeply, by counting brackets outside of strings. Short texts cannot
 * be.
 */
export const isTooDeep = (json: string): boolean => {
  if (json.length <= 2 * maxJsonLevels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at);
    else if ((code | either) === opening && (depth += 1) > maxJsonLevels) return true;
    else if ((code | either) === closing) depth -= 1;
  }
  return false;
};

/** Returns the index of the quote that ends the string that starts at an index; the length of the text if none does. */
const endOfString = (json: string, start: number): number => {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
};

/** Returns whether the number of backslashes before an index is odd. */
const isEscaped = (json: string, index: number): boolean => {
  let start = index;
  while (json.charCodeAt(start - 1) === backslash) start -= 1;
  return (index - start) % 2 === 1;
};

/** The end of an error message about a text with a lone surrogate. */
export const loneSurrogate = 'half of a surrogate pair, such as \\ud800, which is no character';

/** Returns whether texts in JSON have escapes of lone surrogates, which UTF-8 cannot store. */
export const hasLoneSurrogate = (json: string): boolean => {
  if (!json.includes('\\u')) return false;
  const rest = json.replaceAll(/\\\\|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/g, '_');
  return /\\u[dD][89a-fA-F]/.test(rest);
};
