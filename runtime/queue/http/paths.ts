/** Whether a path is one of the queue's own wire. */
export const isQueuePath = (path: string): boolean =>
  path.startsWith('/queue/') ||
  path.startsWith('/run/') ||
  path.startsWith('/files/') ||
  path === '/.well-known/jwks.json';
