/** Looks at the schema at intervals. */
export interface WatchOptions {
  /** Milliseconds between two looks; 0: none. */
  readonly interval: number;
  /** Looks once. A failure that has been reported is not reported again. */
  look(): Promise<unknown>;
}

/** Returns a function that stops. */
export const watchSchema = ({ interval, look }: WatchOptions): (() => void) => {
  if (interval === 0) return () => {};
  let timer: NodeJS.Timeout;
  let isStopped = false;
  const wait = (): void => {
    if (isStopped) return;
    // hosts that were started together do not all look at the same time
    timer = setTimeout(() => void look().then(wait, wait), interval * (0.9 + Math.random() * 0.1)).unref();
  };
  wait();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};
