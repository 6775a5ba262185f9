/** Responds to the routes that need no key: files of results, and the public keys of webhook signatures. */
import type { Database } from '../../databases/contract.js';
import type { ApiRequest, ApiResponse } from '../../request/api-request.js';
import { contentTypeOf, isFileName, isSignatureOf, type FileStore } from '../requests/files.js';
import { queueError } from '../requests/queue-error.js';
import type { QueueSettings } from '../settings.js';
import { isId } from '../store/ids.js';
import { signingKeys } from '../store/secrets.js';
import { toJwks } from '../webhooks/signature.js';
import { respondJson } from './respond.js';

/** Returns a file; its signed URL is the only authorization. @throws QueueError 404 */
export const respondFile = async (
  { query }: ApiRequest,
  [request = '', name = '']: readonly string[],
  { files, settings }: { readonly files: FileStore; readonly settings: QueueSettings },
): Promise<ApiResponse> => {
  const parameters = new URLSearchParams(query);
  const expires = Number(parameters.get('expires'));
  const isNamed = isId(request) && isFileName(name);
  const signed = { request, name, expires };
  if (!isNamed || !isSignatureOf(signed, parameters.get('signature') ?? '', settings.secrets)) {
    throw queueError(404, 'there is no such file');
  }
  const file = expires * 1000 > Date.now() ? await files.read(request, name) : null;
  if (file === null) throw queueError(404, 'the file has expired');
  return {
    status: 200,
    headers: {
      'content-type': contentTypeOf(name),
      'content-length': String(file.size),
      'content-security-policy': "default-src 'none'; sandbox",
    },
    body: file.stream,
  };
};

/** Returns the public signing keys, for any origin. */
export const respondJwks = async (database: Database): Promise<ApiResponse> => {
  const { published } = await signingKeys(database, Date.now());
  return respondJson(200, toJwks(published), {
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
  });
};
