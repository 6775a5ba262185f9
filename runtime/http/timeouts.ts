/** Times for which idle connections of clients are kept. */

/**
 * Milliseconds for which clients are told to use an idle connection, in whole seconds: a request that is on its way to a
 * connection that is being closed is lost (RFC 9112, 9.6).
 */
export const toldTimeout = 5_999;

/** Milliseconds for which idle connections are kept, as proxies that use theirs for a minute do not read what they are told. */
export const idleTimeout = 75_999;

/** Milliseconds after which clients that do as they are told use none of the connections that were idle all the time. */
export const clientGrace = toldTimeout + 1_000;
