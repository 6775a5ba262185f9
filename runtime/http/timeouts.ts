/** Times for which idle connections of clients are kept. */

/**
 * Milliseconds that `Keep-Alive` advertises, in whole seconds: a request that is on its way to a connection that is being
 * closed is lost (RFC 9112, 9.6).
 */
export const advertisedTimeout = 5_999;

/** Milliseconds for which idle connections are kept: proxies that use theirs for a minute do not read `Keep-Alive`. */
export const idleTimeout = 75_999;

/** Milliseconds after which clients that respect `Keep-Alive` use none of the connections that were idle all the time. */
export const clientGrace = advertisedTimeout + 1_000;
