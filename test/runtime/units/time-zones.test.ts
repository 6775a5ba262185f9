/** Offsets of time zones, which databases add to UTC. */
import { describe, expect, it } from 'vitest';
import { offsetsOf } from '../../../runtime/sql/time-zones.js';

/** Returns the seconds that are added to a moment of UTC. */
const offsetAt = (zone: string, moment: string): number | undefined =>
  offsetsOf(zone).findLast(({ from }) => from <= Date.parse(moment))?.seconds;

/** Returns the difference between local time and UTC in seconds, as the runtime prints local time. */
const localOffset = (zone: string, time: number): number => {
  const local = new Date(time).toLocaleString('sv-SE', { timeZone: zone });
  return (Date.parse(`${local.replace(' ', 'T')}Z`) - time) / 1000;
};

describe('the offset of a time zone', () => {
  it('without changes is one, of all times', () => {
    expect(offsetsOf('UTC')).toEqual([{ from: Number.NEGATIVE_INFINITY, seconds: 0 }]);
    expect(offsetsOf('Etc/GMT+5')).toEqual([{ from: Number.NEGATIVE_INFINITY, seconds: -18_000 }]);
  });

  it('can have seconds, and changes at the second', () => {
    expect(offsetsOf('Africa/Monrovia')).toEqual([
      { from: Number.NEGATIVE_INFINITY, seconds: -2588 },
      { from: Date.parse('1919-03-01T00:43:08Z'), seconds: -2670 },
      { from: Date.parse('1972-01-07T00:44:30Z'), seconds: 0 },
    ]);
  });

  it.each([
    ['Europe/Vienna', '2024-03-31T00:59:59Z', 3600],
    ['Europe/Vienna', '2024-03-31T01:00:00Z', 7200],
    ['Europe/Vienna', '2024-10-27T00:59:59Z', 7200],
    ['Europe/Vienna', '2024-10-27T01:00:00Z', 3600],
    ['America/New_York', '2024-03-10T06:59:59Z', -18_000],
    ['America/New_York', '2024-03-10T07:00:00Z', -14_400],
    ['Asia/Kathmandu', '2024-01-01T00:00:00Z', 20_700],
    ['America/St_Johns', '2024-01-01T00:00:00Z', -12_600],
    ['Australia/Lord_Howe', '2024-01-01T00:00:00Z', 39_600],
  ])('%s at %s is %i seconds', (zone, moment, want) => {
    expect(offsetAt(zone, moment)).toBe(want);
  });

  it.each(['Europe/Vienna', 'America/St_Johns', 'Pacific/Apia', 'Asia/Kolkata'])(
    '%s changes in order, where the local time jumps',
    (zone) => {
      const [, ...changes] = offsetsOf(zone);
      const found = changes.map(({ from, seconds }) => [from, seconds]);
      expect(found.length).toBeGreaterThan(4);
      expect(found).toEqual(found.toSorted(([one = 0], [other = 0]) => one - other));
      expect(found.map(([from = 0]) => localOffset(zone, from))).toEqual(found.map(([, seconds]) => seconds));
      const before = found.map(([from = 0]) => localOffset(zone, from - 1000));
      expect(before).toEqual(
        offsetsOf(zone)
          .slice(0, -1)
          .map(({ seconds }) => seconds),
      );
    },
  );

  it('is the nearest one before 1900 and after 2100', () => {
    expect(offsetAt('Europe/Vienna', '1850-07-01T00:00:00Z')).toBe(3600);
    const years = offsetsOf('Europe/Vienna').map(({ from }) => new Date(from).getUTCFullYear());
    expect([years[1], years.at(-1)]).toEqual([1916, 2099]);
    expect(offsetAt('Europe/Vienna', '2150-07-01T00:00:00Z')).toBe(3600);
  });

  it('is found once for a zone', () => {
    expect(offsetsOf('Asia/Tokyo')).toBe(offsetsOf('Asia/Tokyo'));
    expect(offsetsOf('Asia/Tokyo')).not.toEqual(offsetsOf('Asia/Seoul'));
  });
});
