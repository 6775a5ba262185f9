/** Properties that hold for arbitrary values. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FieldType } from '../../../contract/field-types.js';
import { everyType } from '../../generator/models.js';
import { readValue } from '../../../runtime/plan/values.js';

/** The canonical value; null where it is refused. */
const read = (type: FieldType, value: unknown): unknown => {
  const result = readValue({ type }, value);
  return result.ok ? result.value : null;
};

it.each(everyType)('every input for %s is parsed or rejected without an exception', (type) => {
  const value = fc.oneof(
    fc.jsonValue({ depthSize: 'small' }),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.stringMatching(/^[+-]?\d{0,25}\.?\d{0,25}(e[+-]?\d{1,3})?$/),
    fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?$/),
  );
  const isTotal = fc.property(
    value.filter((each) => each !== null),
    (each) => {
      const result = readValue({ type }, each);
      expect(result.ok ? ['string', 'number', 'boolean', 'object'] : ['type', 'range', 'length']).toContain(
        result.ok ? typeof result.value : result.problem,
      );
    },
  );
  fc.assert(isTotal, { seed: 21, numRuns: 300 });
});

const pad = (number: number): string => String(number).padStart(2, '0');

it.each(['dateTime', 'timestamp'] as const)('a %s is the same instant as in Date', (type) => {
  const moment = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });
  const zone = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const isSame = fc.property(moment, zone, (date, minutes) => {
    const whole = new Date(Math.floor(date.getTime() / 1000) * 1000);
    const local = new Date(whole.getTime() + minutes * 60_000).toISOString().slice(0, 19);
    const size = Math.abs(minutes);
    const text = `${local}${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
    expect(read(type, text)).toBe(whole.toISOString().slice(0, 19).replace('T', ' '));
  });
  fc.assert(isSame, { seed: 22, numRuns: 300 });
});

it('a decimal keeps every digit that was sent', () => {
  const digits = fc.stringMatching(/^[1-9]\d{0,29}\.\d{1,30}$/);
  const isKept = fc.property(digits, (text) => {
    expect(read('decimal', text)).toBe(text);
  });
  fc.assert(isKept, { seed: 23, numRuns: 200 });
});

it('a decimal sent as a number is the number it prints, without an exponent', () => {
  const [min, max] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
  const isSame = fc.property(fc.double({ noNaN: true, min, max }), (each) => {
    expect(read('decimal', each)).toMatch(/^-?\d+(\.\d+)?$/);
    expect(Number(read('decimal', each)) + 0).toBe(each + 0);
  });
  fc.assert(isSame, { seed: 24, numRuns: 300 });
});
