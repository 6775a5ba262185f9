/**
 * A character model that predicts the next character from the two before it, with one table of weights for
 * each.
 */

export interface CharacterModel {
  /** The vocabulary, in index order. */
  readonly characters: string;
  /** One table for each of the two preceding positions: from character to next character. */
  readonly weights: Float32Array;
}

const contextLength = 2;
const maxCharacters = 96;
const rate = 0.5;
const samples = 64;

/** Creates a model of at most 96 of the characters of a text, the lowest codes first, with all weights 0. */
export const createModel = (text: string): CharacterModel => {
  const characters = [...new Set(text)].sort().slice(0, maxCharacters).join('');
  return { characters, weights: new Float32Array(contextLength * characters.length ** 2) };
};

/** Returns the weights as Base64 of 32-bit floats, in the order of bytes of this machine. */
export const saveWeights = ({ weights }: CharacterModel): string =>
  Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString('base64');

/** Sets weights that `saveWeights` returned; those of a model of another size are ignored. */
export const loadWeights = ({ weights }: CharacterModel, saved: string): void => {
  const bytes = new Uint8Array(Buffer.from(saved, 'base64'));
  if (bytes.byteLength === weights.byteLength) weights.set(new Float32Array(bytes.buffer));
};

/**
 * Runs one round of gradient descent over characters drawn from the text.
 * @returns mean loss in nats per character
 */
export const trainRound = (model: CharacterModel, text: string, random: () => number): number => {
  let loss = 0;
  for (let count = 0; count < samples; count += 1) {
    const at = Math.floor(random() * text.length);
    const expected = model.characters.indexOf(text[at] ?? '');
    if (expected === -1) continue;
    const rows = rowsOf(model, text.slice(Math.max(0, at - contextLength), at));
    const probabilities = predict(model, rows);
    loss -= Math.log(Math.max(probabilities[expected] ?? 0, 1e-9));
    for (const row of rows) {
      for (const [to, probability] of probabilities.entries()) {
        const error = (to === expected ? 1 : 0) - probability;
        model.weights[row + to] = (model.weights[row + to] ?? 0) + rate * error;
      }
    }
  }
  return loss / samples;
};

/** Returns the prompt with 120 characters after it. `random` returns numbers from 0 to below 1. */
export const continueText = (model: CharacterModel, prompt: string, random: () => number): string => {
  let text = prompt;
  for (let count = 0; count < 120; count += 1) text += draw(model, text.slice(-contextLength), random());
  return text;
};

const draw = (model: CharacterModel, before: string, choice: number): string => {
  let left = choice;
  const probabilities = predict(model, rowsOf(model, before));
  const found = probabilities.findIndex((probability) => (left -= probability) < 0);
  return model.characters[found] ?? '';
};

/** Returns where the rows of weights begin, one for each preceding character. */
const rowsOf = ({ characters }: CharacterModel, before: string): readonly number[] =>
  Array.from(before)
    .toReversed()
    .map(
      (character, position) =>
        (position * characters.length + characters.indexOf(character)) * characters.length,
    )
    .filter((row, position) => row >= position * characters.length ** 2);

const predict = ({ characters, weights }: CharacterModel, rows: readonly number[]): readonly number[] => {
  const scores = Array.from(characters, (_, to) =>
    rows.reduce((sum, row) => sum + (weights[row + to] ?? 0), 0),
  );
  const maxScore = Math.max(...scores);
  const exponentials = scores.map((score) => Math.exp(score - maxScore));
  const total = exponentials.reduce((sum, value) => sum + value, 0);
  return exponentials.map((value) => value / total);
};
