/** Attempts that are under way in this process, by receiver: one that is slow takes no more than its share. */

export interface Receivers {
  /** Of one receiver. */
  readonly most: number;
  /** @returns what to call at the end */
  enter(url: string): () => void;
  isFull(url: string): boolean;
  /** Receivers that have enough to do. */
  full(): readonly string[];
}

export const createReceivers = (most = 16): Receivers => {
  const counts = new Map<string, number>();
  const add = (host: string, by: number): void => {
    const count = (counts.get(host) ?? 0) + by;
    if (count === 0) counts.delete(host);
    else counts.set(host, count);
  };
  return {
    most,
    enter(url) {
      const host = hostOf(url);
      add(host, 1);
      return () => add(host, -1);
    },
    isFull: (url) => (counts.get(hostOf(url)) ?? 0) >= most,
    full: () => [...counts].filter(([, count]) => count >= most).map(([host]) => host),
  };
};

const hostOf = (url: string): string => new URL(url).host;
