/** Caching of items: an answer is kept by its caller alone, who asks whether it still holds (RFC 9111, RFC 9110 §13). */
import { apiError } from '../../contract/errors.js';
import { readColumns } from '../execute/row-locks.js';
import type { Guard } from '../execute/write-transaction.js';
import { readKey } from '../plan/item.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondItem } from '../response/respond.js';
import { bindInput, type ItemContext } from './context.js';
import { namesTag, type EntityTagOf } from './entity-tags.js';
import { readItem, type ReadTarget } from './read.js';

/** Bytes up to which a list has a tag: hashing more of them costs more than a list of that size gains. */
const maxTaggedList = 16_384;

const cachingHeaders = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Cookie, Accept-Encoding',
};

interface Reading {
  readonly request: ApiRequest;
  readonly tagOf: EntityTagOf;
  /** Whether the answer is one item, whose tag a later write may name. */
  readonly isItem: boolean;
}

/** Adds the headers of caching to a read; 304 where the caller has the answer already. */
export const cacheRead = async (
  response: ApiResponse,
  { request, tagOf, isItem }: Reading,
): Promise<ApiResponse> => {
  const { body } = response;
  const headers = { ...response.headers, ...cachingHeaders };
  if (!(body instanceof Buffer) || (!isItem && body.length > maxTaggedList)) return { ...response, headers };
  const tag = await tagOf(body);
  if (tag === null) return { ...response, headers };
  const known = request.headers['if-none-match'];
  if (typeof known === 'string' && namesTag(known, tag)) {
    return { status: 304, headers: { ...cachingHeaders, etag: tag }, body: null };
  }
  return { ...response, headers: { ...headers, etag: tag } };
};

interface Matching {
  readonly target: ReadTarget;
  /** Parts of the key, as sent. */
  readonly key: readonly unknown[];
  /** Value of `If-Match`. */
  readonly expected: string;
  readonly tagOf: EntityTagOf;
}

/**
 * Locks the item of a write and compares what its caller would read, in the transaction of the write.
 * @throws PRECONDITION_FAILED where `If-Match` does not name its tag; FORBIDDEN where it may not be read
 */
export const guardMatch = ({ target, key, expected, tagOf }: Matching, context: ItemContext): Guard => ({
  async before(_keys, executor) {
    const { collection } = target;
    const { dialect } = context;
    const locked = { columns: collection.key, key: readKey(collection, key) };
    await readColumns(collection, locked, { dialect, executor, input: bindInput(context, {}) });
    const { body } = respondItem(await readItem(target, key, { ...context, executor }));
    const tag = await tagOf(body as Buffer);
    if (tag === null || !namesTag(expected, tag)) throw preconditionFailed();
  },
  after: async () => undefined,
});

const preconditionFailed = () =>
  apiError(
    'PRECONDITION_FAILED',
    { header: 'If-Match' },
    'the item has changed since you read it; read it again, and send the new ETag',
  );
