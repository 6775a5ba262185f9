/** Reads a JSON or YAML document from a request: its body, or a file of a form. */
import { CORE_SCHEMA, EVENT_ID, load, parseEvents, YAMLException } from 'js-yaml';
import { apiError, invalidPayload } from '../../contract/errors.js';
import type { ApiRequest } from './api-request.js';
import { isTooDeep, maxJsonLevels, readJson } from './body.js';

/**
 * Reads a document from a JSON body, or from the file of a multipart form, in JSON or YAML.
 * @throws UNSUPPORTED_MEDIA_TYPE without a body; INVALID_PAYLOAD; CONTENT_TOO_LARGE
 */
export const readDocument = async (request: ApiRequest, maxSize?: number): Promise<unknown> => {
  const bytes = await request.body(maxSize);
  const mediaType = String(request.headers['content-type'] ?? '');
  if (isForm(mediaType)) return parseDocument((await findFile(bytes, mediaType)).bytes.toString());
  if (bytes.length === 0 || !/^application\/(?:[\w.-]+\+)?json\b/i.test(mediaType)) {
    const details = { mediaType, where: 'Content-Type header' };
    throw apiError('UNSUPPORTED_MEDIA_TYPE', details, 'send application/json or multipart/form-data');
  }
  return readJson(request);
};

const isForm = (mediaType: string): boolean => /^multipart\/form-data\b/i.test(mediaType);

/** A file of a multipart form. */
export interface UploadedFile {
  readonly bytes: Buffer;
  /** Media type in the form; empty where there is none. */
  readonly mediaType: string;
}

/** Reads the file of a multipart form. @throws UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD, CONTENT_TOO_LARGE */
export const readFormFile = async (request: ApiRequest, maxSize: number): Promise<UploadedFile> => {
  const mediaType = String(request.headers['content-type'] ?? '');
  if (isForm(mediaType)) return findFile(await request.body(maxSize), mediaType);
  const details = { mediaType, where: 'Content-Type header' };
  throw apiError('UNSUPPORTED_MEDIA_TYPE', details, 'send multipart/form-data with a file');
};

const findFile = async (body: Buffer, mediaType: string): Promise<UploadedFile> => {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': mediaType } })
    .formData()
    .catch(() => {
      throw invalidPayload('the body is not a valid multipart form');
    });
  const files = [...form.values()].filter((value) => typeof value !== 'string');
  const [file] = files;
  if (file === undefined) throw invalidPayload('the form has no file; send it as "file"');
  if (files.length > 1)
    throw invalidPayload(`the form has ${files.length} files; send each in a request of its own`);
  return { bytes: Buffer.from(await file.arrayBuffer()), mediaType: file.type };
};

/** Parses JSON, or YAML without anchors and tags. @throws INVALID_PAYLOAD */
export const parseDocument = (text: string): unknown => {
  if (text.trim() === '') throw invalidPayload('the file is empty');
  if (isTooDeep(text)) throw invalidPayload(`the file is nested deeper than ${maxJsonLevels} levels`);
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text);
  }
};

const parseYaml = (text: string): unknown => {
  try {
    // an alias of an alias of an alias grows without limit
    const hasAlias = parseEvents(text, {}).some((event) => event.type === EVENT_ID.ALIAS);
    if (hasAlias) throw invalidPayload('the file has aliases ("*name"); write the values out');
    return load(text, { schema: CORE_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`;
    throw invalidPayload(`the file is neither JSON nor YAML${place}: ${reason}`);
  }
};
