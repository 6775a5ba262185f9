/** Refuses what is not text in UTF-8, since decoders replace such bytes and the originals are lost. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { SourceError, type OpenSource } from './row.js';

const newline = 0x0a;

const utf16 = 'the file is UTF-16; save it as UTF-8';

/** First bytes of files of other kinds. */
const others: readonly (readonly [bytes: readonly number[], message: string])[] = [
  [[0x1f, 0x8b], 'the file is compressed with gzip; unpack it, or send it with Content-Encoding: gzip'],
  [[0x50, 0x4b, 0x03, 0x04], 'the file is a workbook or another archive; save it as CSV'],
  [[0xff, 0xfe], utf16],
  [[0xfe, 0xff], utf16],
];

/** @throws SourceError for a file that is compressed, or in UTF-16 */
export const requireText = async (open: OpenSource): Promise<void> => {
  for await (const chunk of (await open(0)) as AsyncIterable<Buffer>) {
    const [, message] = others.find(([bytes]) => bytes.every((byte, index) => chunk[index] === byte)) ?? [];
    if (message !== undefined) throw new SourceError(message, 1);
    // one of the two bytes of each character of ASCII
    if (chunk[0] === 0 || chunk[1] === 0) throw new SourceError(utf16, 1);
    return;
  }
};

/**
 * Passes the bytes of a stream on as they are. Where one is not UTF-8, the lines before it are followed by the error with its
 * line, which is not thrown, so that the reader can finish those lines.
 * @param before number of lines before the stream
 */
export async function* requireUtf8(
  stream: Readable,
  before: number,
): AsyncGenerator<Buffer | SourceError, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = before + 1;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      const lines = linesBeforeFault(chunk);
      yield* lines;
      yield notUtf8(line + lines.length);
      return;
    }
    yield chunk;
    line += countNewlines(chunk);
  }
  try {
    decoder.decode();
  } catch {
    yield notUtf8(line);
  }
}

const notUtf8 = (line: number): SourceError =>
  new SourceError('the file is not valid UTF-8; save it in this encoding', line);

/** Returns the lines of a chunk that are before the one at fault. */
const linesBeforeFault = (chunk: Buffer): readonly Buffer[] => {
  const lines = linesOf(chunk);
  const [first = chunk, ...others] = lines;
  // the chunk may begin within a character
  const start = first.findIndex((byte) => (byte & 0xc0) !== 0x80);
  if (!isUtf8(first.subarray(Math.max(0, start)))) return [];
  const index = others.findIndex((line) => !isUtf8(line));
  return lines.slice(0, index + 1);
};

/** Counts the line breaks of a chunk, which are never part of another character. */
const countNewlines = (chunk: Buffer): number => {
  let count = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) count += 1;
  return count;
};

/** Splits a chunk after its line breaks. */
const linesOf = (chunk: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
    lines.push(chunk.subarray(start, end + 1));
    start = end + 1;
  }
  lines.push(chunk.subarray(start));
  return lines;
};
