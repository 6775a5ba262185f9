/**
 * Offsets of time zones from UTC, from the IANA data of the runtime: the same on every database, including
 * those without time zone tables.
 */
export interface Offset {
  /** Milliseconds since 1970 from which the offset applies; -Infinity for the first. */
  readonly from: number;
  /** Seconds to add to UTC. */
  readonly seconds: number;
}

/** Outside of these years, the nearest offset applies. */
const firstYear = 1900;
const lastYear = 2100;

/** Days between samples: fewer than any zone has kept one offset. */
const step = 14 * 86_400_000;

/** Time zones by canonical name, of which there are some hundreds. */
const cache = new Map<string, readonly Offset[]>();

/** Returns the offsets of a zone in order of time. */
export const offsetsOf = (zone: string): readonly Offset[] => {
  const cached = cache.get(zone);
  if (cached !== undefined) return cached;
  const offsets = findOffsets(createReader(zone));
  cache.set(zone, offsets);
  return offsets;
};

type ReadOffset = (time: number) => number;

const createReader = (zone: string): ReadOffset => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const seconds = new Map<string, number>();
  return (time) => {
    const text = format.format(time);
    const offset = text.slice(text.indexOf('GMT'));
    const known = seconds.get(offset);
    if (known !== undefined) return known;
    const read = toSeconds(offset);
    seconds.set(offset, read);
    return read;
  };
};

/** Reads `GMT`, `GMT+01:00` or `GMT-00:01:15`. */
const toSeconds = (text: string): number => {
  const [, sign = '+', hours = '0', minutes = '0', rest = '0'] =
    /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
  return sign === '-' ? -total : total;
};

const findOffsets = (read: ReadOffset): readonly Offset[] => {
  let before = Date.UTC(firstYear, 0, 1);
  const found: Offset[] = [{ from: Number.NEGATIVE_INFINITY, seconds: read(before) }];
  for (let time = before + step; before < Date.UTC(lastYear, 0, 1); time += step) {
    const seconds = read(time);
    if (seconds !== found.at(-1)?.seconds) found.push({ from: findChange(read, before, time), seconds });
    before = time;
  }
  return found;
};

/** Returns the first second at which the offset is that of `after`. */
const findChange = (read: ReadOffset, before: number, after: number): number => {
  const wanted = read(after);
  let [low, high] = [before, after];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (read(middle) === wanted) high = middle;
    else low = middle;
  }
  return high;
};
