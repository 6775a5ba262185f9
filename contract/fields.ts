/** How generated code declares a field: its type, and what the type alone leaves open. */
import type { FieldType } from './field-types.js';

export interface FieldOptions {
  /** The column may hold null. */
  readonly nullable?: true;
  /** A create without it is refused. */
  readonly required?: true;
  /** The database counts. */
  readonly auto?: true;
  /** The database computes it; never written. */
  readonly generated?: true;
  /** Refused in payloads outside admin. */
  readonly readonly?: true;
  /** Characters, or bytes of a binary. */
  readonly length?: number;
  readonly precision?: number;
  readonly scale?: number;
  /** Integer width; 32 when absent. */
  readonly bits?: number;
  readonly unsigned?: true;
  /** Digits after the second; 0 when absent. */
  readonly fraction?: number;
  readonly values?: readonly string[];
  /** Literal default of the column, in its wire form; said of singletons, and of keys where inserts give nothing back. */
  readonly default?: string | number | boolean;
  /** SQL that makes a key as the database would; said where inserts give nothing back. */
  readonly keyDefault?: string;
  /** Shown as asterisks, whatever the caller may read. */
  readonly conceal?: true;
  /** Stored as an argon2id hash. */
  readonly hash?: true;
  /** Stored in lower case. */
  readonly lowerCase?: true;
  /** Set by the server. */
  readonly fill?: 'uuid' | 'user-created' | 'user-updated' | 'date-created' | 'date-updated';
  /** A filter the value must pass. */
  readonly validation?: Readonly<Record<string, unknown>>;
  readonly validationMessage?: string;
  /** The database's own type, where SQL has to know it. */
  readonly dbType?: string;
  /** That of a text whose character set lacks some characters. */
  readonly collation?: string;
}

/** `Value` is the type of the field on the wire. */
export interface FieldDeclaration<Value = unknown> extends FieldOptions {
  readonly type: FieldType;
  /** Never present at run time: carries the type. */
  readonly value?: Value;
}

type Nullable<Options, Value> = Options extends { nullable: true } ? Value | null : Value;

const field =
  <Value>(type: FieldType) =>
  <const Options extends FieldOptions>(options?: Options): FieldDeclaration<Nullable<Options, Value>> => ({
    type,
    ...options,
  });

export const string = field<string>('string');
export const text = field<string>('text');
export const integer = field<number>('integer');
/** 64 bits, exact: a decimal string on the wire. */
export const bigInteger = field<string>('bigInteger');
export const float = field<number>('float');
/** Exact: a decimal string on the wire. */
export const decimal = field<string>('decimal');
export const boolean = field<boolean>('boolean');
/** `YYYY-MM-DD` */
export const date = field<string>('date');
/** `HH:MM:SS` */
export const time = field<string>('time');
/** `YYYY-MM-DDTHH:MM:SS`, no zone. */
export const dateTime = field<string>('dateTime');
/** `YYYY-MM-DDTHH:MM:SSZ`, an instant. */
export const timestamp = field<string>('timestamp');
export const uuid = field<string>('uuid');
export const json = field<unknown>('json');
/** Comma-separated in the database, an array of strings on the wire. */
export const csv = field<string[]>('csv');
/** Base64 on the wire. */
export const binary = field<string>('binary');
/** A type svc does not know: readable as text. */
export const unknown = field<string>('unknown');

/** The row type of a field table. */
export type Row<Fields extends Record<string, FieldDeclaration>> = {
  [Name in keyof Fields]: Fields[Name] extends FieldDeclaration<infer Value> ? Value : never;
};

/** A model class whose instances carry the fields of a table, save those whose names every object has. */
export type WithFields<Class extends new () => object, Fields extends Record<string, FieldDeclaration>> = {
  [Name in keyof Class]: Class[Name];
} & (new () => InstanceType<Class> &
  Omit<Row<Fields>, keyof InstanceType<Class> | keyof InstanceType<ObjectConstructor>>);
