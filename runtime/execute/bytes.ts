/** JSON text as bytes, written straight from the database's own bytes where they need no change. */

const quote = 0x22;
const backslash = 0x5c;
const hexDigits = Buffer.from('0123456789abcdef');
const shortEscapes = new Map([
  [0x08, 0x62],
  [0x09, 0x74],
  [0x0a, 0x6e],
  [0x0c, 0x66],
  [0x0d, 0x72],
]);

/** Bytes that JSON escapes in a string. */
const escaped = new Uint8Array(256);
escaped.fill(1, 0, 0x20);
escaped[quote] = 1;
escaped[backslash] = 1;

/** A buffer that grows. Callers `reserve` before they write. */
export class ByteWriter {
  bytes: Buffer;
  length = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  byte(value: number): void {
    this.bytes[this.length++] = value;
  }

  /** ASCII text. */
  ascii(text: string): void {
    for (let index = 0; index < text.length; index += 1) this.bytes[this.length++] = text.charCodeAt(index);
  }

  /** UTF-8 text; reserves for itself. */
  text(text: string): void {
    this.reserve(text.length * 3);
    this.length += this.bytes.write(text, this.length);
  }

  /** Copies; short runs by hand, since `copy` has a price of its own. */
  copy(source: Buffer, start: number, end: number): void {
    if (end - start >= 24) {
      source.copy(this.bytes, this.length, start, end);
      this.length += end - start;
      return;
    }
    for (let index = start; index < end; index += 1) this.bytes[this.length++] = source[index] as number;
  }

  /** A JSON string of UTF-8 bytes; reserves for itself. */
  string(source: Buffer, start: number, end: number): void {
    this.reserve((end - start) * 6 + 2);
    this.byte(quote);
    this.stringBody(source, start, end);
    this.byte(quote);
  }

  /** The inside of a JSON string; needs six bytes of room per byte. */
  stringBody(source: Buffer, start: number, end: number): void {
    let from = start;
    for (let at = findEscaped(source, start, end); at < end; at = findEscaped(source, from, end)) {
      this.copy(source, from, at);
      this.escape(source[at] as number);
      from = at + 1;
    }
    this.copy(source, from, end);
  }

  private escape(byte: number): void {
    this.byte(backslash);
    const short = shortEscapes.get(byte);
    if (byte === quote || byte === backslash) this.byte(byte);
    else if (short !== undefined) this.byte(short);
    else {
      this.ascii('u00');
      this.byte(hexDigits[byte >> 4] as number);
      this.byte(hexDigits[byte & 15] as number);
    }
  }

  finish(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

let viewed: Buffer | null = null;
let view: DataView = new DataView(new ArrayBuffer(0));

/**
 * Where the next byte that needs escaping is, or `end`. Long texts are looked at four bytes at a time:
 * a byte below 0x20, equal to `"` or equal to `\` leaves a high bit behind.
 */
const findEscaped = (source: Buffer, start: number, end: number): number => {
  let at = start;
  if (end - start >= 16) {
    if (viewed !== source) {
      viewed = source;
      view = new DataView(source.buffer, source.byteOffset, source.length);
    }
    for (; at + 4 <= end; at += 4) {
      const word = view.getUint32(at, true);
      const quotes = word ^ 0x22222222;
      const backslashes = word ^ 0x5c5c5c5c;
      const hit =
        ((word - 0x20202020) & ~word) |
        ((quotes - 0x01010101) & ~quotes) |
        ((backslashes - 0x01010101) & ~backslashes);
      if ((hit & 0x80808080) !== 0) break;
    }
  }
  while (at < end && escaped[source[at] as number] === 0) at += 1;
  return at;
};
