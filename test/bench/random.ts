/** Random numbers that are the same on every machine. */

/** Integers from 0 up to, not including, `limit`. */
export type Random = (limit: number) => number;

/** The same numbers for the same seed everywhere (mulberry32). */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
};
