/** Prints GraphQL. Database names and notes reach a schema only through this module. */
import { oneLine } from './text.js';

/** Prints a string literal; replaces lone surrogates. */
export const str = (value: string): string => JSON.stringify(value.replaceAll(/\p{Cs}/gu, '\uFFFD'));

/** Prints the description of a definition. */
export const description = (text: string): string => str(oneLine(text));

export interface Definition {
  readonly kind: 'type' | 'input' | 'scalar' | 'enum' | 'union';
  readonly name: string;
  readonly note?: string | null;
  readonly directives?: Directives;
  readonly fields: readonly FieldDefinition[];
  /** Values of an enum, or types of a union. */
  readonly values?: readonly string[];
}

export interface FieldDefinition {
  readonly name: string;
  readonly note?: string | null;
  readonly arguments?: readonly ArgumentDefinition[];
  /** Type in GraphQL syntax: `[Album!]!`. */
  readonly type: string;
  readonly directives?: Directives;
}

export interface ArgumentDefinition {
  readonly name: string;
  readonly type: string;
  /** Default value, as a literal. */
  readonly fallback?: string;
  readonly directives?: Directives;
}

/** Arguments of the directive `svc`. */
export type Directives = Readonly<Record<string, string | null>>;

/**
 * Prints a type, input, enum, scalar or union with its description. Names must be valid in GraphQL already.
 */
export const printDefinition = ({
  kind,
  name,
  note,
  directives,
  fields,
  values = [],
}: Definition): string => {
  const head = `${noteLine(note, '')}${kind} ${name}${printDirectives(directives)}`;
  if (kind === 'union') return `${head} = ${values.join(' | ')}`;
  const members = [...fields.map(printField), ...values.map((value) => `  ${value}\n`)];
  return kind === 'scalar' ? head : `${head} {\n${members.join('')}}`;
};

const printField = ({ name, note, type, directives, ...rest }: FieldDefinition): string =>
  `${noteLine(note, '  ')}  ${name}${printArguments(rest.arguments ?? [])}: ${type}${printDirectives(directives)}\n`;

const printArguments = (list: readonly ArgumentDefinition[]): string =>
  list.length === 0 ? '' : `(${list.map(printArgument).join(', ')})`;

const printArgument = ({ name, type, fallback, directives }: ArgumentDefinition): string =>
  `${name}: ${type}${fallback === undefined ? '' : ` = ${fallback}`}${printDirectives(directives)}`;

const printDirectives = (directives: Directives = {}): string => {
  const given = Object.entries(directives).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${str(value)}`],
  );
  return given.length === 0 ? '' : ` @svc(${given.join(', ')})`;
};

const noteLine = (note: string | null | undefined, margin: string): string =>
  note === null || note === undefined ? '' : `${margin}${description(note)}\n`;
