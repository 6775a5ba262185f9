/**
 * `demo/train`: trains a character model and continues a prompt with it. Resumes where an earlier worker
 * stopped.
 */
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import type { RunModel } from '@svc-api/svc/runtime';
import type { DemoTrainInput, DemoTrainOutput } from '../generated/server/queue-models.js';
import { continueText, createModel, loadWeights, saveWeights, trainRound } from './characters.js';
import { createRandom } from './random.js';

/** Details of a heartbeat. */
interface Progress {
  readonly step: number;
  readonly loss: number;
  readonly resumed: number;
  readonly weights: string;
}

/** Rounds between two log messages. */
const reportEvery = 25;

/**
 * Trains for `steps` steps with `pause` milliseconds between them, and saves its progress so that another
 * worker can resume it.
 */
export const run: RunModel<DemoTrainInput, DemoTrainOutput> = async (input, context) => {
  const { model_name, prompt, text = poem, steps = 400, pause = 0, seed = 1 } = input;
  const model = createModel(text + prompt);
  const before = readProgress(context.resumed);
  if (before !== null) {
    loadWeights(model, before.weights);
    context.log(`going on after step ${before.step}`);
  }
  const resumed = before === null ? 0 : before.resumed + 1;
  let loss = before?.loss ?? 0;
  for (let step = before?.step ?? 0; step < steps; step += 1) {
    context.signal.throwIfAborted();
    loss = trainRound(model, text, createRandom(seed + step));
    const done = step + 1;
    if (done % reportEvery === 0 || done === steps) {
      context.log(`step ${done}/${steps}, loss ${loss.toFixed(4)}`);
      context.progress({ step: done, loss, resumed, weights: saveWeights(model) } satisfies Progress);
    }
    await (pause > 0 ? sleep(pause * 1000, undefined, { signal: context.signal }) : breathe());
  }
  const weights = JSON.stringify({ characters: model.characters, weights: saveWeights(model) });
  const file = await context.files.save('model.json', 'application/json', Buffer.from(weights));
  const completion = continueText(model, prompt, createRandom(seed));
  return { model_name, completion, loss, steps, resumed, file };
};

const readProgress = (value: unknown): Progress | null =>
  typeof value === 'object' && value !== null && 'weights' in value ? (value as Progress) : null;

const poem = `The sea is calm tonight,
the tide is full, the moon lies fair
upon the straits; on the far coast
a light gleams and is gone; the cliffs stand
glimmering and vast, out in the tranquil bay.
`;
