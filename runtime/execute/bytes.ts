/** Writes JSON as bytes, copied from the database's own bytes where they need no escaping. */
import { invalidQuery } from '../../contract/errors.js';

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

/** Bytes that are tested and copied at once. */
const word = 4;

/** Maximum size of one response in bytes; it is assembled in memory. */
const maxBytes = 256 * 1024 * 1024;

/** Checks the size of a response. @throws INVALID_QUERY above the maximum */
export const limitBytes = (count: number): number => {
  if (count <= maxBytes) return count;
  throw invalidQuery('the answer would exceed 256 MB; ask for fewer items, or for fewer fields');
};

/** Texts up to this length are assumed to have the longest characters, rather than counted. */
const shortText = 16 * 1024;

/** Returns the number of bytes that JSON escapes in a string. */
export const countEscapes = (source: Buffer, start: number, end: number): number => {
  const last = Math.min(end, source.length);
  let count = 0;
  for (let index = start; index < last; index += 1) count += escaped[source[index] as number] as number;
  return count;
};

/** Accounts for the memory that the answer of a request takes. */
export interface ByteBudget {
  /** Adds bytes. @throws SERVICE_UNAVAILABLE or QUERY_TOO_COMPLEX when there is no room for them */
  take(count: number): void;
  giveBack(count: number): void;
}

/** A budget without a limit, for rows that are not part of an answer. */
export const unlimitedBytes: ByteBudget = { take: () => undefined, giveBack: () => undefined };

/** Size from which a buffer grows by a quarter instead of doubling. */
const largeSize = 8 * 1024 * 1024;

const grownSize = (size: number): number => (size < largeSize ? size * 2 : size + size / 4);

/** A growing buffer. Callers `reserve` space before they write, except where a method says otherwise. */
export class ByteWriter {
  bytes: Buffer;
  length = 0;
  #view: DataView;
  readonly #budget: ByteBudget;
  /** The size with which this writer need not have grown. */
  neededSize = 0;

  constructor(size: number, budget = unlimitedBytes) {
    budget.take(size + word);
    this.#budget = budget;
    this.bytes = Buffer.allocUnsafe(size + word);
    this.#view = viewOf(this.bytes);
  }

  /** Reserves space for `count` more bytes, and for a word that `copy` may write in excess. */
  reserve(count: number): void {
    const needed = this.length + count + word;
    if (needed > this.neededSize) this.neededSize = needed;
    if (needed <= this.bytes.length) return;
    const size = Math.ceil(Math.max(grownSize(this.bytes.length), limitBytes(needed)));
    this.#budget.take(size - this.bytes.length);
    const grown = Buffer.allocUnsafe(size);
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    this.#view = viewOf(grown);
  }

  byte(value: number): void {
    this.bytes[this.length++] = value;
  }

  /** Writes ASCII text. */
  ascii(text: string): void {
    const { bytes } = this;
    let to = this.length;
    for (let index = 0; index < text.length; index += 1) bytes[to++] = text.charCodeAt(index);
    this.length = to;
  }

  /** Writes UTF-8 text; reserves the space itself. */
  text(text: string): void {
    this.reserve(text.length <= shortText ? text.length * 3 : Buffer.byteLength(text));
    this.length += this.bytes.write(text, this.length);
  }

  copy(source: Buffer, start: number, end: number): void {
    const { bytes } = this;
    const from = viewSource(source);
    const to = this.#view;
    let at = this.length;
    let next = start;
    for (; next + word <= end; next += word, at += word) to.setUint32(at, from.getUint32(next));
    for (; next < end; next += 1) bytes[at++] = source[next] as number;
    this.length = at;
  }

  /** Writes a literal. */
  literal({ words, length }: Literal): void {
    const view = this.#view;
    let at = this.length;
    for (let index = 0; index < words.length; index += 1, at += word)
      view.setUint32(at, words[index] as number);
    this.length += length;
  }

  /** Writes an integer of at most 32 bits. */
  integer(value: number): void {
    const { bytes } = this;
    let rest = value;
    if (rest < 0) {
      bytes[this.length++] = 0x2d;
      rest = -rest;
    }
    const end = this.length + countDigits(rest);
    this.length = end;
    let at = end;
    do {
      const tenth = Math.floor(rest / 10);
      bytes[--at] = 0x30 + rest - tenth * 10;
      rest = tenth;
    } while (rest > 0);
  }

  /** Writes two digits, as dates contain them. */
  twoDigits(value: number): void {
    const tens = Math.floor(value / 10);
    this.bytes[this.length++] = 0x30 + tens;
    this.bytes[this.length++] = 0x30 + value - tens * 10;
  }

  /** Writes UTF-8 bytes as a JSON string, which takes at most six bytes per byte plus two. */
  string(source: Buffer, start: number, end: number): void {
    const { bytes } = this;
    const from = viewSource(source);
    const to = this.#view;
    let at = this.length;
    let next = start;
    bytes[at++] = quote;
    while (next < end) {
      for (; next + word <= end; next += word, at += word) {
        const value = from.getUint32(next);
        if (needsEscape(value)) break;
        to.setUint32(at, value);
      }
      const border = Math.min(next + word, end);
      for (; next < border; next += 1) {
        const byte = source[next] as number;
        if (escaped[byte] === 0) bytes[at++] = byte;
        else {
          this.length = at;
          this.#escape(byte);
          at = this.length;
        }
      }
    }
    bytes[at++] = quote;
    this.length = at;
  }

  #escape(byte: number): void {
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
}

const countDigits = (value: number): number => {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count += 1;
  return count;
};

const viewOf = (buffer: Buffer): DataView => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);

let viewed: Buffer | null = null;
let view: DataView = new DataView(new ArrayBuffer(0));

/** Returns the view of a buffer, kept for the next call: drivers deliver many values in one buffer. */
const viewSource = (source: Buffer): DataView => {
  if (viewed !== source) {
    viewed = source;
    view = viewOf(source);
  }
  return view;
};

/**
 * Returns whether one of four bytes may need escaping: below 0x20, `"` or `\`, each of which leaves a high
 * bit set. May return true unnecessarily, never false wrongly.
 */
const needsEscape = (value: number): boolean => {
  const quotes = value ^ 0x22222222;
  const backslashes = value ^ 0x5c5c5c5c;
  const hit =
    ((value - 0x20202020) & ~value) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return (hit & 0x80808080) !== 0;
};

/** Bytes that are written repeatedly, as 32-bit words; the last word is padded. */
export interface Literal {
  readonly words: Uint32Array;
  readonly length: number;
}

/** Copies bytes into words, as `Writer.literal` takes them. */
export const createLiteral = (bytes: Buffer): Literal => {
  const padded = Buffer.alloc(Math.ceil(bytes.length / word) * word);
  bytes.copy(padded);
  const words = Uint32Array.from({ length: padded.length / word }, (_, index) =>
    padded.readUInt32BE(index * word),
  );
  return { words, length: bytes.length };
};
