/** HTTP caching of items: clients keep responses privately and revalidate them by entity tag (RFC 9111, RFC 9110 §13). */
import { apiError } from '../../contract/errors.js';
import { lockAccessVersion } from '../execute/access-version.js';
import { readColumns } from '../execute/row-locks.js';
import type { WriteHooks } from '../execute/write-transaction.js';
import { readKey } from '../plan/item.js';
import type { ApiRequest, ApiResponse } from '../request/api-request.js';
import { respondItem } from '../response/respond.js';
import { bindInput, type ItemContext } from './context.js';
import { matchesTag, type EntityTagOf } from './entity-tags.js';
import { readItem, readSingleton, type ReadTarget, type WrittenContext } from './read.js';
import { singletonKey } from './singleton.js';

/** Headers of responses that only the caller's own cache keeps. */
const keptPrivately: ApiResponse['headers'] = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Cookie, Accept-Encoding',
};

interface CacheReadOptions {
  readonly request: ApiRequest;
  readonly tagOf: EntityTagOf;
  /** The response is one item, whose tag a later write can send as `If-Match`. Lists have none: it costs a tenth of a list. */
  readonly isItem: boolean;
  /** True where the response is of a system collection, which holds identities: clients keep only its tag. */
  readonly isSystem: boolean;
}

/** Adds caching headers to the response of a read; responds with 304 where `If-None-Match` has its tag. */
export const cacheRead = async (
  response: ApiResponse,
  { request, tagOf, isItem, isSystem }: CacheReadOptions,
): Promise<ApiResponse> => {
  const { body, headers } = response;
  const tag = isItem && body instanceof Buffer ? await tagOf(body) : null;
  const added = isSystem ? {} : keptPrivately;
  if (tag === null) return { ...response, headers: addHeaders(headers, added) };
  const known = request.headers['if-none-match'];
  if (typeof known === 'string' && matchesTag(known, tag))
    return { status: 304, headers: addHeaders(added, { etag: tag }), body: null };
  const tagged = addHeaders(headers, added);
  tagged.etag = tag;
  return { ...response, headers: tagged };
};

/** Unlike a spread, which takes a microsecond of each read more. */
const addHeaders = (headers: ApiResponse['headers'], added: ApiResponse['headers']): Record<string, string> =>
  Object.assign({}, headers, added);

interface MatchOptions {
  readonly target: ReadTarget;
  /** Parts of the key as text; empty for a singleton. */
  readonly key: readonly unknown[];
  /** Value of `If-Match`. */
  readonly expected: string;
}

/**
 * Returns the tag of an item as the caller reads it. @throws FORBIDDEN where the caller may not read it
 * @param key empty for a singleton
 */
export const readItemTag = async (
  target: ReadTarget,
  key: readonly unknown[],
  context: ItemContext & Partial<WrittenContext>,
): Promise<string | null> => {
  const rows = await (key.length === 0 ? readSingleton(target, context) : readItem(target, key, context));
  return context.tagOf(respondItem(rows).body as Buffer);
};

/**
 * Returns hooks that lock the item of a write and compare its tag, as the caller would read it, with `If-Match`.
 * @throws PRECONDITION_FAILED where the tag differs, FORBIDDEN where the caller may not read the item
 */
export const guardMatch = ({ target, key, expected }: MatchOptions, context: ItemContext): WriteHooks => ({
  async before(_keys, executor) {
    await lockItem({ target, key }, { ...context, executor });
    const tag = await readItemTag(target, key, { ...context, executor });
    if (tag === null || !matchesTag(expected, tag)) throw preconditionFailed();
  },
  after: async () => undefined,
});

const lockItem = async (
  { target: { collection }, key }: Pick<MatchOptions, 'target' | 'key'>,
  context: WrittenContext,
): Promise<void> => {
  const { dialect, executor } = context;
  if (key.length > 0) {
    const locked = { columns: collection.key, key: readKey(collection, key) };
    await readColumns(collection, locked, { dialect, executor, input: bindInput(context, {}) });
    return;
  }
  const found = await singletonKey(collection, { dialect, executor, rowLock: dialect.rowLock });
  // there is no row to lock yet, so of two writes that create it one waits here for the other
  if (found === null) await lockAccessVersion(executor, dialect.rowLock);
};

const preconditionFailed = () =>
  apiError(
    'PRECONDITION_FAILED',
    { header: 'If-Match' },
    'the item has changed since you read it; read it again, and send the new ETag',
  );
