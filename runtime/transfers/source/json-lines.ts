/** Reads rows of NDJSON: one object a line. Empty lines are skipped. */
import type { Readable } from 'node:stream';
import { readJsonItem } from './json-text.js';
import type { Naming } from './payload.js';
import { maxRowBytes, SourceError, type OpenSource, type SourcePosition, type SourceRow } from './row.js';

const newline = 0x0a;

/** Reads the lines of JSON Lines as they arrive. @throws SourceError for a line that is too long */
export async function* readJsonLines(
  open: OpenSource,
  from: SourcePosition,
  naming: Naming,
): AsyncGenerator<SourceRow, void, void> {
  let { position, line } = from;
  for await (const bytes of readLines(await open(position), line)) {
    position += bytes.length;
    line += 1;
    if (isBlank(bytes)) continue;
    yield { line, end: { position, line }, item: readJsonItem(withoutBom(bytes, line), naming) };
  }
}

/** Returns the lines of a stream with their ends. */
async function* readLines(stream: Readable, before: number): AsyncGenerator<Buffer, void, void> {
  let parts: Buffer[] = [];
  let length = 0;
  let line = before;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      parts.push(chunk.subarray(start, end + 1));
      yield parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      [parts, length, start] = [[], 0, end + 1];
      line += 1;
    }
    const rest = chunk.subarray(start);
    length += rest.length;
    if (length > maxRowBytes) throw new SourceError(`the line is longer than ${maxRowBytes} bytes`, line + 1);
    if (rest.length > 0) parts.push(rest);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));

const bom = Buffer.from('\uFEFF');

const withoutBom = (bytes: Buffer, line: number): Buffer =>
  line === 1 && bytes.subarray(0, bom.length).equals(bom) ? bytes.subarray(bom.length) : bytes;
