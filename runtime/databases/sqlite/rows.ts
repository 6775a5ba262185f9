/**
 * Serializes rows of libsql as JSON. A row is concatenated to one string first, because copying many short strings to
 * bytes costs more than concatenating them.
 */
import type { Field } from '../../../contract/collection.js';
import { showKey } from '../../sql/key.js';
import type { Token } from '../../sql/select.js';
import { cellsToKey, cellToJson, cellToText, type CellToJson, type CellValue } from '../../execute/cells.js';
import type { RowLayout } from '../contract.js';
import type { RowCollector } from '../../execute/row-set.js';

export type LibsqlValue = string | number | bigint | ArrayBuffer | null;

/** A compiled row layout. */
export interface SqliteProgram {
  readonly tokens: readonly Token[];
  readonly keyColumns: number;
  readonly steps: readonly Step[];
}

type Step =
  | Exclude<Token, { kind: 'literal' | 'value' }>
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'value'; readonly toJson: CellToJson };

/** Compiles the reader of a result by its tokens alone: values carry their own types. */
export const compileRows = ({ tokens, keyColumns }: RowLayout): SqliteProgram => ({
  tokens,
  keyColumns,
  steps: tokens.map((token): Step => {
    if (token.kind === 'literal') return { kind: 'literal', text: String(token.bytes) };
    return token.kind === 'value' ? { kind: 'value', toJson: cellToJson(token.field) } : token;
  }),
});

/** Converts a value of the driver, which has bytes as ArrayBuffer. */
export const toCell = (value: LibsqlValue): CellValue =>
  value instanceof ArrayBuffer ? Buffer.from(value) : value;

/** Writes a row into the collector. */
export const writeCells = (
  row: readonly LibsqlValue[],
  { keyColumns, steps }: SqliteProgram,
  collector: RowCollector,
): void => {
  const isKept =
    keyColumns === 0 ? collector.beginRow() : collector.beginChild(keyOf(row, 0, keyColumns) ?? '');
  if (!isKept) return;
  const { writer } = collector;
  let column = keyColumns;
  let text = '';
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index] as Step;
    switch (step.kind) {
      case 'literal':
        text += step.text;
        break;
      case 'value':
        text += step.toJson(toCell(row[column++] as LibsqlValue));
        break;
      case 'one':
        if (row[step.isShared ? column : column++] !== null) break;
        text += 'null';
        index += step.skipTokens;
        column += step.skipColumns;
        break;
      case 'list':
        writer.text(text);
        text = '';
        collector.addSlot(step.list, keyOf(row, column, step.columns));
        column += step.columns;
        break;
      case 'any': {
        const [name, key] = [keyOf(row, column, 1), keyOf(row, column + 1, 1)];
        const list = step.lists.get(name ?? '');
        column += 2;
        if (list === undefined || key === null) text += 'null';
        else {
          writer.text(text);
          text = '';
          collector.addSlot(list, key);
        }
        break;
      }
      case 'end':
        writer.text(text);
        text = '';
        collector.endRow();
        break;
      case 'key':
        text += keyToText(cellsOf(row, column, step.fields.length), step.fields);
        column += step.fields.length;
        break;
    }
  }
  writer.text(text);
};

/** Returns a key as JSON, or `null` if every part is null, which means that the key is not readable. */
const keyToText = (cells: readonly CellValue[], fields: readonly Field[]): string =>
  cells.every((cell) => cell === null) ? 'null' : JSON.stringify(showKey(cells.map(cellToText), fields));

const keyOf = (row: readonly LibsqlValue[], first: number, count: number): string | null =>
  cellsToKey(cellsOf(row, first, count));

const cellsOf = (row: readonly LibsqlValue[], first: number, count: number): CellValue[] =>
  row.slice(first, first + count).map(toCell);
