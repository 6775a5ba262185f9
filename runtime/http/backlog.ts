/**
 * Connections that the system keeps until they are accepted; it may allow fewer (`net.core.somaxconn`). Those beyond, when
 * many arrive while the process computes, are tried again for a minute, and then lost.
 */
export const acceptBacklog = 4_096;
