/** `demo/image`: paints layered waves of colour, determined by prompt, seed and size alone. */
import { createHash } from 'node:crypto';
import { setImmediate as pause } from 'node:timers/promises';
import { PNG } from 'pngjs';
import type { RunContext, RunModel } from '@svc-api/svc/runtime';
import type { DemoImageInput, DemoImageOutput } from '../generated/server/queue-models.js';
import { createRandom } from './random.js';

/**
 * Returns as many PNG files as `num_images`, the seed one higher for each; without a seed it follows from the
 * prompt.
 */
export const run: RunModel<DemoImageInput, DemoImageOutput> = async (input, context) => {
  const { prompt, width = 512, height = 512, num_images: count = 1 } = input;
  const seed = input.seed ?? createHash('sha256').update(prompt).digest().readUInt32BE(0);
  const images: DemoImageOutput['images'] = [];
  for (let index = 0; index < count; index += 1) {
    context.log(`painting picture ${index + 1} of ${count}, ${width} × ${height}`);
    const bytes = await paint({ prompt, seed: seed + index, width, height }, context);
    images.push({ ...(await context.files.save(`${seed}-${index}.png`, 'image/png', bytes)), width, height });
    context.progress({ painted: index + 1 });
  }
  return { images, seed };
};

interface Picture {
  readonly prompt: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
}

interface Wave {
  readonly x: number;
  readonly y: number;
  readonly phase: number;
  /** Red, green, blue. */
  readonly colour: readonly [number, number, number];
}

const paint = async (picture: Picture, { signal }: RunContext): Promise<Buffer> => {
  const { width, height } = picture;
  const waves = wavesOf(picture);
  const png = new PNG({ width, height, colorType: 2 });
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) paintPixel(png, x, y, waves);
    if (y % 64 === 0) {
      await pause();
      signal.throwIfAborted();
    }
  }
  return PNG.sync.write(png, { colorType: 2 });
};

const wavesOf = ({ prompt, seed }: Picture): readonly Wave[] => {
  const random = createRandom(createHash('sha256').update(`${seed}\0${prompt}`).digest().readUInt32BE(0));
  return Array.from({ length: 6 }, () => ({
    x: (random() - 0.5) * 14,
    y: (random() - 0.5) * 14,
    phase: random() * Math.PI * 2,
    colour: [random(), random(), random()],
  }));
};

const paintPixel = (png: PNG, x: number, y: number, waves: readonly Wave[]): void => {
  const at = (y * png.width + x) * 4;
  const sums = [0, 0, 0];
  for (const wave of waves) {
    const height = Math.sin((wave.x * x) / png.width + (wave.y * y) / png.height + wave.phase) + 1;
    for (const [channel, part] of wave.colour.entries()) sums[channel] = (sums[channel] ?? 0) + height * part;
  }
  for (const [channel, sum] of sums.entries())
    png.data[at + channel] = Math.round((sum / waves.length) * 200);
  png.data[at + 3] = 255;
};
