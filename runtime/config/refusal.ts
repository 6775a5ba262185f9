/** What was asked for was looked at, and the answer is no: exit code 1. Everything else that is thrown is a failure: 2. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

/** Faults in configuration and spec are refusals too, told by name so that nothing is loaded to ask. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ['Refusal', 'ConfigError', 'SpecError', 'ModelError', 'OutputError'].includes(error.name);
