/** Receives the file of an import as it arrives. */
import { createHash } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ApiRequest } from '../request/api-request.js';
import { createId } from '../queue/store/ids.js';

export interface ReceivedFile {
  /** Name in the spool folder. */
  readonly spooled: string;
  readonly size: number;
  readonly sha256: string;
}

/** Writes the body of a request into the spool folder. @throws CONTENT_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_PAYLOAD */
export const receiveFile = async (
  request: ApiRequest,
  { spool, maxSize }: { readonly spool: string; readonly maxSize: number },
): Promise<ReceivedFile> => {
  const spooled = createId();
  const path = join(spool, spooled);
  await mkdir(spool, { recursive: true });
  const hash = createHash('sha256');
  let size = 0;
  const measure = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  // present before it may have to be removed
  const file = await open(path, 'wx');
  try {
    await pipeline(request.stream(maxSize), measure, file.createWriteStream());
    return { spooled, size, sha256: hash.digest('hex') };
  } catch (error) {
    await file.close();
    await rm(path, { force: true });
    throw error;
  }
};
