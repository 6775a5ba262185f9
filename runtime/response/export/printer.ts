/** Interface of the printers of a format, which receive the JSON of items chunk by chunk. */

/** Prints the chunks of one export, in order. */
export interface ExportPrinter {
  /** Prints items. @param rows JSON objects, separated by commas; never empty */
  print(rows: Buffer): Buffer | string;
  /** Returns what follows the last item. */
  end(): string;
}

/** An item as parsed from JSON. */
export type ExportedItem = Readonly<Record<string, unknown>>;

/** Parses the items of a chunk, which are separated by commas and not in brackets. */
export const parseItems = (rows: Buffer): readonly ExportedItem[] =>
  JSON.parse(`[${rows.toString()}]`) as readonly ExportedItem[];

const [quote, backslash, comma, newline, carriageReturn, space] = [0x22, 0x5c, 0x2c, 0x0a, 0x0d, 0x20];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Puts each object on a line of its own, in place. JSON escapes line breaks inside of texts; those between its tokens, which stored
 * JSON may have, become spaces.
 */
export const toLines = (rows: Buffer): Buffer => {
  let depth = 0;
  let inText = false;
  for (let index = 0; index < rows.length; index += 1) {
    const byte = rows[index];
    if (inText) {
      if (byte === backslash) index += 1;
      else if (byte === quote) inText = false;
    } else if (byte === quote) inText = true;
    else if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) depth -= 1;
    else if (byte === newline || byte === carriageReturn) rows[index] = space;
    else if (byte === comma && depth === 0) rows[index] = newline;
  }
  return rows;
};
