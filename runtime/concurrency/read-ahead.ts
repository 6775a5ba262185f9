/** Reads an iterable one value ahead. */

/**
 * Yields the values of an iterable, and has the next one read while the caller works on the one before. An error of the iterable
 * is thrown once the values before it have been yielded.
 */
export async function* readAhead<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value, void, void> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // no unhandled rejection: it is thrown above, unless the caller ends before
      next.catch(() => {});
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
