/** An expected negative result, with exit code 1. Any other error is a failure with exit code 2. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

/**
 * Returns whether an error is a refusal. Faults of configuration and spec are recognized by name, to avoid an
 * import.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  ['Refusal', 'ConfigError', 'SpecError', 'ModelError', 'OutputError'].includes(error.name);
