/** Limits of what a model returns. */

/** Maximum bytes of a result, which every database accepts in one statement; larger results belong in files. */
export const maxOutputBytes = 8_000_000;

/** Returns the sentence for an output that is too large. */
export const oversizedText = (bytes: number): string =>
  `the result has ${bytes} bytes, but the maximum is ${maxOutputBytes}; save larger output as files`;
