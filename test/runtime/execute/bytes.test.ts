import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteWriter, createLiteral } from '../../../runtime/execute/bytes.js';

/** Returns the output of a writer that starts with minimal capacity. */
const written = (write: (writer: ByteWriter) => void): string => {
  const writer = new ByteWriter(0);
  write(writer);
  return writer.bytes.toString('utf8', 0, writer.length);
};

/** As drivers deliver values: somewhere inside a larger buffer. */
const embed = (text: string, before: number): { source: Buffer; start: number; end: number } => {
  const bytes = Buffer.from(text);
  const source = Buffer.concat([Buffer.alloc(before, '"'), bytes, Buffer.alloc(7, '\\')]);
  return { source, start: before, end: before + bytes.length };
};

const asJson = (text: string, before = 0): string => {
  const { source, start, end } = embed(text, before);
  return written((writer) => {
    writer.reserve((end - start) * 6 + 2);
    writer.string(source, start, end);
  });
};

const awkward = fc.array(
  fc.oneof(
    fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\r',
      '\t',
      '\b',
      '\f',
      '\u0000',
      '\u001f',
      '\u007f',
      '\u0080',
      '\u2028',
      '\ufeff',
      '𝄞',
      'é',
      '/',
      ' ',
      '!',
      '#',
      '[',
      ']',
    ),
    fc.string({ unit: 'grapheme', maxLength: 9 }),
    fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)),
  ),
  { maxLength: 30 },
);

it('writes JSON strings like JSON.stringify, at any offset', () => {
  const isSame = fc.property(awkward, fc.integer({ min: 0, max: 9 }), (parts, before) => {
    const text = parts.join('');
    expect(asJson(text, before)).toBe(JSON.stringify(text));
  });
  fc.assert(isSame, { seed: 61, numRuns: 1000 });
});

it('escapes bytes at every position in a word', () => {
  for (let code = 0; code < 0x80; code += 1) {
    for (let before = 0; before < 5; before += 1) {
      const text = `${'x'.repeat(before)}${String.fromCharCode(code)}yyyyy`;
      expect(asJson(text)).toBe(JSON.stringify(text));
    }
  }
});

it('grows the buffer for a long JSON string', () => {
  const text = '\u0001"é𝄞'.repeat(100_000);
  expect(asJson(text)).toBe(JSON.stringify(text));
});

it.each([0, 1, 9, 10, 99, 100, 2_147_483_647, 4_294_967_295, -1, -10, -2_147_483_648])(
  'writes the whole number %j',
  (value) => {
    expect(
      written((writer) => {
        writer.reserve(11);
        writer.integer(value);
      }),
    ).toBe(String(value));
  },
);

it('writes any whole number of 32 bits', () => {
  const isSame = fc.property(fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }), (value) => {
    expect(
      written((writer) => {
        writer.reserve(11);
        writer.integer(value);
      }),
    ).toBe(String(value));
  });
  fc.assert(isSame, { seed: 62, numRuns: 500 });
});

it('concatenates pieces of any length', () => {
  const piece = fc.record({
    kind: fc.constantFrom('text', 'copy', 'literal', 'ascii', 'string'),
    text: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  });
  const isSame = fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
    const result = written((writer) => {
      for (const { kind, text } of pieces) {
        const bytes = Buffer.from(text);
        if (kind !== 'text') writer.reserve(bytes.length * 6 + 2);
        if (kind === 'text') writer.text(text);
        else if (kind === 'copy')
          writer.copy(Buffer.concat([Buffer.from('~~~'), bytes]), 3, 3 + bytes.length);
        else if (kind === 'literal') writer.literal(createLiteral(bytes));
        else if (kind === 'ascii') writer.ascii(text);
        else writer.string(bytes, 0, bytes.length);
      }
    });
    expect(result).toBe(
      pieces.map(({ kind, text }) => (kind === 'string' ? JSON.stringify(text) : text)).join(''),
    );
  });
  fc.assert(isSame, { seed: 63, numRuns: 500 });
});

it('replaces lone surrogates', () => {
  expect(written((writer) => writer.text('a\ud834b'))).toBe('a\ufffdb');
});
