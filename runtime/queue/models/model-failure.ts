/** The error of a function model; its message and stack are for operators only. */
import type { PlainError } from './children/messages.js';

export class ModelFailure extends Error {
  constructor({ name, message, stack }: PlainError) {
    super(message);
    this.name = name;
    this.stack = stack;
  }
}
