/** Reads the rows of a JSON array of objects, without holding more than one of them. */
import { readJsonItem } from './json-text.js';
import type { Naming } from './payload.js';
import { maxRowBytes, SourceError, type OpenSource, type SourcePosition, type SourceRow } from './row.js';

const [quote, backslash, comma, newline] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBracket, closeBracket, openBrace] = [0x5b, 0x5d, 0x7b];

const byteOrderMark = Buffer.from('\uFEFF');

/** Tokens that may come next outside of the objects. */
type Expected = 'array' | 'firstOrEnd' | 'object' | 'commaOrEnd' | 'nothing';

const expectations: Readonly<Record<Expected, string>> = {
  array: 'an array "["',
  firstOrEnd: 'an object or "]"',
  object: 'an object',
  commaOrEnd: '"," or "]"',
  nothing: 'the end of the file',
};

/**
 * Returns a function that tells whether a byte belongs to the byte order mark, which only the start of the file may have.
 * @param unexpected creates the error for a mark that is not complete
 */
const createMarkScanner = (
  { position }: SourcePosition,
  unexpected: () => SourceError,
): ((byte: number) => boolean) => {
  /** Bytes of the mark that were read; all of them where there is none. */
  let length = position === 0 ? 0 : byteOrderMark.length;
  return (byte) => {
    if (length === byteOrderMark.length) return false;
    if (byte === byteOrderMark[length]) {
      length += 1;
      return true;
    }
    if (length > 0) throw unexpected();
    length = byteOrderMark.length;
    return false;
  };
};

const notAnArray = (line: number): SourceError =>
  new SourceError(
    'the file is not an array of objects; where it has one object a line, its format is ndjson',
    line,
  );

/** Finds where the objects of an array begin and end, byte by byte. */
const createScanner = (from: SourcePosition) => {
  let expected: Expected = from.position === 0 ? 'array' : 'commaOrEnd';
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let { line } = from;

  const unexpected = (): SourceError =>
    new SourceError(`the file is not an array of objects: ${expectations[expected]} is expected`, line + 1);

  const isMark = createMarkScanner(from, unexpected);

  const scanInside = (byte: number): 'inside' | 'end' => {
    if (isText) {
      if (isEscaped) isEscaped = false;
      else if (byte === backslash) isEscaped = true;
      else if (byte === quote) isText = false;
    } else if (byte === quote) isText = true;
    // setting bit 0x20 maps `[` to `{` and `]` to `}`
    else if ((byte | 0x20) === 0x7b) depth += 1;
    else if ((byte | 0x20) === 0x7d) depth -= 1;
    if (depth > 0) return 'inside';
    expected = 'commaOrEnd';
    return 'end';
  };

  const scanOutside = (byte: number): 'outside' | 'begin' => {
    if (isMark(byte) || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)) return 'outside';
    if (expected === 'array' && byte === openBracket) expected = 'firstOrEnd';
    else if ((expected === 'firstOrEnd' || expected === 'object') && byte === openBrace) {
      depth = 1;
      return 'begin';
    } else if (expected === 'array' && byte === openBrace) throw notAnArray(line + 1);
    else if (expected === 'commaOrEnd' && byte === comma) expected = 'object';
    else if ((expected === 'firstOrEnd' || expected === 'commaOrEnd') && byte === closeBracket)
      expected = 'nothing';
    else throw unexpected();
    return 'outside';
  };

  return {
    isInside: (): boolean => depth > 0,
    /** Number of lines before the current byte. */
    line: () => line,
    scan(byte: number): 'outside' | 'begin' | 'inside' | 'end' {
      if (byte === newline) line += 1;
      return depth > 0 ? scanInside(byte) : scanOutside(byte);
    },
    /** @throws SourceError where the array is not complete */
    end(): void {
      if (expected === 'array')
        throw new SourceError('the file is empty; an array of objects is expected', line + 1);
      if (expected !== 'nothing' || depth > 0)
        throw new SourceError('the array has no end: the file is not complete', line + 1);
    },
  };
};

/** Reads the objects of a JSON array as they arrive. @throws SourceError where the text is no array of objects */
export async function* readJsonArray(
  open: OpenSource,
  from: SourcePosition,
  naming: Naming,
): AsyncGenerator<SourceRow, void, void> {
  const scanner = createScanner(from);
  let { position } = from;
  let line = from.line + 1;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of (await open(position)) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const found = scanner.scan(chunk[at] as number);
      if (found === 'begin') [start, line] = [at, scanner.line() + 1];
      if (found !== 'end') continue;
      parts.push(chunk.subarray(start, at + 1));
      const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      [parts, length, start] = [[], 0, -1];
      const end = { position: position + at + 1, line: scanner.line() };
      yield { line, end, item: readJsonItem(bytes, naming) };
    }
    position += chunk.length;
    if (scanner.isInside()) {
      length += chunk.length - start;
      if (length > maxRowBytes) throw new SourceError(`the object is longer than ${maxRowBytes} bytes`, line);
      parts.push(chunk.subarray(start));
    }
  }
  scanner.end();
}
