/** Refuses text that is not UTF-8, since decoders replace such bytes and the originals are lost. */
import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { SourceError } from './row.js';

const newline = 0x0a;

/**
 * Passes the bytes of a stream on as they are.
 * @param before number of lines before the stream
 * @throws SourceError with the line of the first byte that is not UTF-8
 */
export async function* requireUtf8(stream: Readable, before: number): AsyncGenerator<Buffer, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = before + 1;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw notUtf8(line + lineOfFault(chunk));
    }
    yield chunk;
    line += countNewlines(chunk);
  }
  try {
    decoder.decode();
  } catch {
    throw notUtf8(line);
  }
}

const notUtf8 = (line: number): SourceError =>
  new SourceError('the file is not valid UTF-8; save it in this encoding', line);

/** Returns how many lines of a chunk are before the one at fault. */
const lineOfFault = (chunk: Buffer): number => {
  const [first = chunk, ...others] = linesOf(chunk);
  // the chunk may begin within a character
  const start = first.findIndex((byte) => (byte & 0xc0) !== 0x80);
  if (!isUtf8(first.subarray(Math.max(0, start)))) return 0;
  const index = others.findIndex((line) => !isUtf8(line));
  return index + 1;
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
