/** Reads variables from the environment and reports those that are invalid. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variables, type ValueOf, type VariableName } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** All faults of the environment, one per line. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(['invalid environment variables:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

/** Loads `.env` of `directory` into the environment; existing variables take precedence. */
export const loadEnvironment = (directory: string): Environment => {
  const file = join(directory, '.env');
  if (existsSync(file)) process.loadEnvFile(file);
  return process.env;
};

/** Reads one variable; `name` replaces a name that contains a placeholder. */
export type ReadVariable = <Name extends VariableName>(variable: Name, name?: string) => ValueOf<Name>;

/** Creates a reader that collects faults and returns the default for an invalid variable. */
export const createReader =
  (environment: Environment, faults: string[]): ReadVariable =>
  <Name extends VariableName>(variable: Name, name: string = variable): ValueOf<Name> => {
    const { parse, default: preset, ...rest } = variables[variable];
    const isSecret = 'secret' in rest;
    try {
      const text = textOf(environment, name, isSecret);
      if (text !== undefined) return parse(text) as ValueOf<Name>;
    } catch (error) {
      const shown = isSecret ? '' : ` is "${environment[name] ?? ''}":`;
      faults.push(`${name}${shown} ${(error as Error).message}`);
    }
    return (preset === null ? null : parse(preset)) as ValueOf<Name>;
  };

/** Returns the text of a variable; empty counts as not set, as in compose files. */
const textOf = (environment: Environment, name: string, isSecret: boolean): string | undefined => {
  const value = environment[name] || undefined;
  const file = isSecret ? environment[`${name}_FILE`] || undefined : undefined;
  if (file === undefined) return value;
  if (value !== undefined) throw new Error(`is set twice, also as ${name}_FILE; keep one`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new Error(`cannot be read from the file "${file}" of ${name}_FILE`);
  }
};
