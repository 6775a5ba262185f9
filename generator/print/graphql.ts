/** The border between data and GraphQL: names of the database and notes reach a schema only through here. */
import { oneLine } from './text.js';

/** A string literal. Half a character has no spelling. */
export const str = (value: string): string => JSON.stringify(value.replaceAll(/\p{Cs}/gu, '\uFFFD'));

/** The line above a definition that says what it is. */
export const description = (text: string): string => str(oneLine(text));

export interface Definition {
  readonly kind: 'type' | 'input' | 'scalar' | 'enum';
  readonly name: string;
  readonly note?: string | null;
  readonly marks?: Marks;
  readonly fields: readonly FieldDefinition[];
  /** Of an enum. */
  readonly values?: readonly string[];
}

export interface FieldDefinition {
  readonly name: string;
  readonly note?: string | null;
  readonly arguments?: readonly ArgumentDefinition[];
  /** As GraphQL writes it: `[Album!]!`. */
  readonly type: string;
  readonly marks?: Marks;
}

export interface ArgumentDefinition {
  readonly name: string;
  readonly type: string;
  /** A literal. */
  readonly fallback?: string;
  readonly marks?: Marks;
}

/** Arguments of the directive `svc`. */
export type Marks = Readonly<Record<string, string | null>>;

export const printDefinition = ({ kind, name, note, marks, fields, values = [] }: Definition): string => {
  const head = `${noteLine(note, '')}${kind} ${name}${printMarks(marks)}`;
  const members = [...fields.map(printField), ...values.map((value) => `  ${value}\n`)];
  return kind === 'scalar' ? head : `${head} {\n${members.join('')}}`;
};

const printField = ({ name, note, type, marks, ...rest }: FieldDefinition): string =>
  `${noteLine(note, '  ')}  ${name}${printArguments(rest.arguments ?? [])}: ${type}${printMarks(marks)}\n`;

const printArguments = (list: readonly ArgumentDefinition[]): string =>
  list.length === 0 ? '' : `(${list.map(printArgument).join(', ')})`;

const printArgument = ({ name, type, fallback, marks }: ArgumentDefinition): string =>
  `${name}: ${type}${fallback === undefined ? '' : ` = ${fallback}`}${printMarks(marks)}`;

const printMarks = (marks: Marks = {}): string => {
  const given = Object.entries(marks).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${str(value)}`],
  );
  return given.length === 0 ? '' : ` @svc(${given.join(', ')})`;
};

const noteLine = (note: string | null | undefined, margin: string): string =>
  note === null || note === undefined ? '' : `${margin}${description(note)}\n`;
